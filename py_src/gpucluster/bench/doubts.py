"""What makes measured times worth less than they look."""

from __future__ import annotations

from collections.abc import Sequence

from .result import HostFacts, Measurement

SHORT_SECONDS = 0.1
"""Of a run: Dask itself takes some hundredths of a second for each."""
BUSY_SHARE = 0.5
"""Of the CPUs that were busy before anything was measured."""
WIDE_SHARE = 0.3
"""Between the quartiles, of the median."""


def doubts(measurements: Sequence[Measurement], hosts: Sequence[HostFacts]) -> list[str]:
    """Return sentences about what to do for better figures; none where nothing is wrong with them."""
    found = []
    busy = load_where_busy(hosts)
    if busy is not None:
        found.append(f"Other programs were running before ({busy}): expect other times on an idle machine.")
    short = [one.workload for one in measurements if one.scales and one.spread.median < SHORT_SECONDS]
    if short:
        found.append(
            f"Less than {SHORT_SECONDS} s a run: {', '.join(dict.fromkeys(short))}. That is Dask's own time for the "
            "most part; a larger --size says more about the cluster."
        )
    wide = [one.workload for one in measurements if _wide(one)]
    if wide:
        found.append(
            f"Quartiles more than {WIDE_SHARE:.0%} apart: {', '.join(dict.fromkeys(wide))}. More --repeats narrow down "
            "what can be said."
        )
    return found


def load_where_busy(hosts: Sequence[HostFacts]) -> str | None:
    """Return how busy a computer was before anything was measured, in words; ``None`` where all were idle enough."""
    for host in hosts:
        if host.load_before is not None and host.load_before > BUSY_SHARE * host.cpus:
            return f"load {host.load_before:.1f} on {host.cpus} CPUs"
    return None


def _wide(one: Measurement) -> bool:
    spread = one.spread
    return spread.upper - spread.lower > WIDE_SHARE * spread.median
