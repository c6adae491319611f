"""What to do next: a pure comparison of what is wanted with what was done. No IO in here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..protocol.models import Wanted
from ..protocol.spec import Adapt


class Step(Enum):
    """One operation of the supervisor."""

    STOP = "stop"
    RESTART = "restart"
    RETIRE = "retire"
    SCALE = "scale"
    ADAPT = "adapt"
    REST = "rest"


@dataclass(frozen=True)
class Applied:
    """What the supervisor last told the cluster to be."""

    n_workers: int | None
    adapt: Adapt | None = None
    restarts: int = 0


def next_step(wanted: Wanted, applied: Applied, *, restarts_wanted: int, retiring: bool = False) -> Step:
    """Return the one operation that brings the cluster nearer to what is wanted.

    Parameters
    ----------
    wanted : Wanted
        The last request; earlier ones it replaced do not count.
    applied : Applied
        What was done so far.
    restarts_wanted : int
        How often a restart was asked for in all.
    retiring : bool
        Whether some worker is to be retired.
    """
    if wanted.stopped:
        return Step.STOP
    if restarts_wanted > applied.restarts:
        return Step.RESTART
    if retiring:
        return Step.RETIRE
    if wanted.adapt is not None:
        return Step.REST if wanted.adapt == applied.adapt else Step.ADAPT
    if wanted.n_workers is not None and (applied.adapt is not None or wanted.n_workers != applied.n_workers):
        return Step.SCALE
    return Step.REST
