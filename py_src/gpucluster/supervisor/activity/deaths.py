"""Why workers died, and what that costs, in a sentence: as far as known."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...backends.deployment import Deployment
from ...backends.scheduler.view import Gone
from ...operating_system.control_groups import MemoryKills
from ...protocol.models import WorkerModel
from ...protocol.plain_text import counted
from ...protocol.sizes import format_size

_UNKNOWN_STATUS = 255


@dataclass(frozen=True)
class Death:
    """What is known of a worker that left although it was wanted."""

    worker: WorkerModel
    why: str | None
    """Why, in words that follow 'died:'; ``None`` where nobody knows."""
    n_anew: int = 0
    n_lost: int = 0
    over_limit: bool = False
    """Whether it needed more memory than its limit."""
    told_by_deployment: bool = False
    """Whether the deployment tells why, for all together."""


class DeathCauses:
    """Finds out why workers of one cluster died.

    Parameters
    ----------
    deployment : callable
        Gives it, once there is one.
    """

    def __init__(self, deployment: Callable[[], Deployment | None]) -> None:
        self._deployment = deployment
        self._kills = MemoryKills()

    def look_at(self, workers: Sequence[WorkerModel]) -> list[Death]:
        """Return what is known of these workers."""
        deployment = self._deployment()
        if deployment is None:
            return [Death(worker, None) for worker in workers]
        gone = {left.address: left for left in deployment.scheduler.members().gone}
        killed_by_system = self._kills.since_last()
        return [self._one(deployment, worker, gone.get(worker.address or ""), killed_by_system) for worker in workers]

    def _one(self, deployment: Deployment, worker: WorkerModel, gone: Gone | None, killed_by_system: bool) -> Death:
        counts = (gone.n_anew, gone.n_lost) if gone is not None else (0, 0)
        if deployment.lost_together:
            return Death(worker, None, *counts, told_by_deployment=True)
        status = None if worker.pid is None else deployment.how_ended(worker.pid)
        why = None if worker.device is None else deployment.gpu_trouble(worker.device)
        over_limit = gone is not None and gone.too_big
        if over_limit:
            limit = worker.memory_limit_bytes
            why = "more memory than the limit" + (f" of {format_size(limit)}" if limit else "")
        elif why is None and status is not None:
            why = ended_by(status, out_of_memory=killed_by_system)
        return Death(worker, why, *counts, over_limit=over_limit)


def ended_by(status: int, *, out_of_memory: bool = False) -> str | None:
    """Return what an exit status means, in words; ``None`` where it means nothing."""
    if status == -signal.SIGKILL and out_of_memory:
        return "killed by the system: out of memory"
    if status < 0:
        try:
            return f"ended by {signal.Signals(-status).name}"
        except ValueError:
            return f"ended by signal {-status}"
    return None if status == _UNKNOWN_STATUS else f"ended with status {status}"


def sentence(deaths: Sequence[Death], named: Callable[[Sequence[str]], str]) -> str:
    """Return who died, why, and what is computed anew, in a sentence or two.

    Parameters
    ----------
    deaths : sequence of Death
        At least one.
    named : callable
        Gives what several workers are called together.
    """
    causes = Counter(death.why for death in deaths if death.why is not None)
    who = named(list(dict.fromkeys(death.worker.name for death in deaths)))
    if all(death.told_by_deployment for death in deaths):
        told = f"{who} left."
    elif not causes:
        told = f"{who} left unexpectedly; see the log."
    else:
        (why, number), *others = causes.most_common()
        most = "" if number == len(deaths) or not others else f" ({number} of them)"
        told = f"{who} died: {why}{most}."
    anew, lost = sum(death.n_anew for death in deaths), sum(death.n_lost for death in deaths)
    if lost:
        return f"{told} {counted(lost, 'piece')} of scattered data {'is' if lost == 1 else 'are'} lost."
    if anew:
        return f"{told} {counted(anew, 'result')} {'is' if anew == 1 else 'are'} computed anew."
    return told
