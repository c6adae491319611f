"""All workloads by name."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from ..protocol.errors import InvalidRequest
from . import arrays, collectives, frames, models
from .names import NAMES
from .workload import Workload

_DEFINED = [found for module in (arrays, collectives, frames, models) for found in vars(module).values()]
_BY_NAME = {found.name: found for found in _DEFINED if isinstance(found, Workload)}
WORKLOADS: dict[str, Workload] = {name: _BY_NAME[name] for name in NAMES}


def workloads(only: Sequence[str] | None = None) -> list[Workload]:
    """Return the workloads of these names, by default all. Raises `InvalidRequest` (there is no such workload)."""
    if only is None:
        return list(WORKLOADS.values())
    for name in only:
        if name not in WORKLOADS:
            near = get_close_matches(name, WORKLOADS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise InvalidRequest(f"only: there is no workload '{name[:40]}'.{hint} Available: {', '.join(WORKLOADS)}.")
    return [workload for name, workload in WORKLOADS.items() if name in only]
