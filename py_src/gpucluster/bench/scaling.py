"""How much more workers help."""

from __future__ import annotations

from collections.abc import Sequence

from .result import BenchResult, Measurement
from .statistics import ratio_of


def by_workload(result: BenchResult) -> dict[str, list[Measurement]]:
    """Return the measurements of each workload, those on few workers first."""
    found: dict[str, list[Measurement]] = {}
    for one in sorted(result.measurements, key=lambda one: one.n_workers):
        found.setdefault(one.workload, []).append(one)
    order = list(dict.fromkeys(one.workload for one in result.measurements))
    return {name: found[name] for name in order}


def curves(result: BenchResult) -> dict[str, list[Measurement]]:
    """Return those workloads that more workers should make faster and that were measured on several numbers of them."""
    return {
        name: ones for name, ones in by_workload(result).items() if len(ones) > 1 and all(one.scales for one in ones)
    }


def speed_up(ones: Sequence[Measurement]) -> list[float]:
    """Return how many times faster each number of workers is than the fewest, by medians."""
    return [ones[0].spread.median / one.spread.median for one in ones]


def efficiency(ones: Sequence[Measurement]) -> list[float]:
    """Return the speed-up as a share of what so many more workers would give at best."""
    return [gain * ones[0].n_workers / one.n_workers for gain, one in zip(speed_up(ones), ones, strict=True)]


def speed_up_intervals(ones: Sequence[Measurement]) -> list[tuple[float, float] | None]:
    """Return for each number of workers what the speed-up lies between, as far as the runs tell; see `ratio_of`.

    ``None`` for the fewest workers, and where there are too few runs.
    """
    found: list[tuple[float, float] | None] = [None]
    for one in ones[1:]:
        ratio = ratio_of(one.seconds, ones[0].seconds)
        found.append(None if ratio.lower is None or ratio.upper is None else (ratio.lower, ratio.upper))
    return found
