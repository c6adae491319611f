"""Why workers died, and what it costs, as a text for users."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...backends.deployment import Deployment
from ...backends.scheduler.view import Gone
from ...operating_system.control_groups import MemoryKills
from ...protocol.models import WorkerModel
from ...protocol.plain_text import counted, printable
from ...protocol.sizes import format_size

_UNKNOWN_STATUS = 255


@dataclass(frozen=True)
class Death:
    """What is known of a worker that left although it was wanted."""

    worker: WorkerModel
    why: str | None  # Continues 'Worker 0', such as 'was killed (SIGKILL)'; ``None``: unknown.
    n_recomputed: int = 0
    n_lost: int = 0
    over_limit: bool = False  # Whether it needed more memory than its limit.
    explained_by_deployment: bool = False  # Whether the deployment reports why, for all together.
    tasks: tuple[str, ...] = ()  # Kinds of the tasks that it had, the most frequent first.
    window: int | None = None  # As in ``Gone``; ``None``: unknown.


class DeathCauses:
    """Finds out why workers of one cluster died. `deployment`: returns it, once there is one."""

    def __init__(self, deployment: Callable[[], Deployment | None]) -> None:
        self._deployment = deployment
        self._kills = MemoryKills()

    def look_at(self, workers: Sequence[WorkerModel]) -> list[Death]:
        deployment = self._deployment()
        if deployment is None:
            return [Death(worker, None) for worker in workers]
        gone = {left.address: left for left in deployment.scheduler.members().gone}
        killed_by_system = self._kills.since_last()
        return [self._one(deployment, worker, gone.get(worker.address or ""), killed_by_system) for worker in workers]

    def _one(self, deployment: Deployment, worker: WorkerModel, gone: Gone | None, killed_by_system: bool) -> Death:
        counts = (gone.n_recomputed, gone.n_lost) if gone is not None else (0, 0)
        tasks, window = (gone.tasks, gone.window) if gone is not None else ((), None)
        if deployment.lost_together:
            return Death(worker, None, *counts, explained_by_deployment=True, window=window)
        status = None if worker.pid is None else deployment.how_ended(worker.pid)
        why = None
        if worker.device is not None and (trouble := deployment.gpu_trouble(worker.device)) is not None:
            why = f"died: {trouble}"
        over_limit = gone is not None and gone.too_big
        if over_limit:
            limit = worker.memory_limit_bytes
            why = "ran out of memory" + (f" (limit {format_size(limit)})" if limit else "")
        elif why is None and status is not None:
            why = ended_by(status, out_of_memory=killed_by_system)
        return Death(worker, why, *counts, over_limit=over_limit, tasks=tasks, window=window)


def ended_by(status: int, *, out_of_memory: bool = False) -> str | None:
    """Return the meaning of an exit status as a continuation of 'Worker 0'; ``None`` if it has none."""
    if status == -signal.SIGKILL and out_of_memory:
        return "was killed by the system: out of memory"
    if status < 0:
        try:
            return f"was killed ({signal.Signals(-status).name})"
        except ValueError:
            return f"was killed (signal {-status})"
    return None if status == _UNKNOWN_STATUS else f"exited with status {status}"


_LONGEST_TASK = 30


def sentence(deaths: Sequence[Death], named: Callable[[Sequence[str]], str], *, recomputing: bool | None = None) -> str:
    """Return which workers died, why, during which tasks, and what is recomputed, in one or two sentences.

    `recomputing`: whether that is under way or done; ``None``: in words that stay true.
    """
    names = list(dict.fromkeys(death.worker.name for death in deaths))
    who = named(names)
    causes = Counter(death.why for death in deaths if death.why is not None)
    times = "" if len(names) == len(deaths) else f", {len(deaths)} times{' in total' if len(names) > 1 else ''}"
    if all(death.explained_by_deployment for death in deaths):
        text = f"{who} left{times}"
    elif not causes:
        text = f"{who} left unexpectedly{times}; see the log"
    else:
        (why, number), *_ = causes.most_common()
        text = f"{who} {_of(why, len(names))}{times}"
        if number < len(deaths):
            text = f"{who} died{times}; {number} of them {_of(why, number)}"
        text += _running(deaths)
    recomputed, lost = sum(death.n_recomputed for death in deaths), sum(death.n_lost for death in deaths)
    if lost:
        return f"{text}. {counted(lost, 'piece')} of scattered data {'is' if lost == 1 else 'are'} lost."
    if recomputed:
        if recomputing is None:
            return f"{text}. {counted(recomputed, 'result')} to recompute."
        being = (
            ("is being" if recomputed == 1 else "are being") if recomputing else "was" if recomputed == 1 else "were"
        )
        return f"{text}. {counted(recomputed, 'result')} {being} recomputed."
    return f"{text}."


def _of(why: str, number: int) -> str:
    return f"were {why.removeprefix('was ')}" if number > 1 and why.startswith("was ") else why


def _running(deaths: Sequence[Death]) -> str:
    """Return the kinds of tasks that the workers were running, the most frequent first."""
    tasks = Counter(task for death in deaths for task in death.tasks)
    if not tasks:
        return ""
    first, *others = (f"'{printable(task, _LONGEST_TASK)}'" for task, _ in tasks.most_common())
    return f" while running {first}" + (f" and {others[0]}" if len(others) == 1 else " and others" if others else "")
