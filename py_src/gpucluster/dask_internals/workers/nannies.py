"""Nannies, and the process of the worker that each of them looks after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def is_starting(nanny: Any) -> bool:
    """Return whether a worker's process is in its start. Relies on the same as ``kill_starting_process``."""
    from distributed.core import Status

    process = getattr(nanny, "process", None)
    return process is not None and process.status == Status.starting


async def kill_starting_process(nanny: Any) -> None:
    """Kill a worker's process that is still in its start; does nothing for any other, or for a worker without a nanny.

    A nanny waits for its worker to be up before it closes it, also for one that hangs in its start. Relies on
    ``Nanny.process``, a ``WorkerProcess`` with ``status``, ``process`` and the coroutine ``kill()`` (2021.1).
    """
    if is_starting(nanny) and nanny.process.process is not None:
        await nanny.process.process.kill()


def close_once() -> None:
    """Let a nanny that is closing go on when its worker, which the scheduler has told to end, asks it to close.

    By itself it forgets that it is closing and, when the worker's process ends, closes again at the same time: the log
    then has the traceback of a ``CancelledError``. Relies on ``Nanny.close_gracefully(...)`` setting ``Nanny.status``
    (2021.1).
    """
    from distributed import Nanny
    from distributed.core import Status

    nanny: Any = Nanny
    before = nanny.close_gracefully

    def unless_closing(self: Any, *arguments: Any, **options: Any) -> None:
        if self.status not in {Status.closing, Status.closed}:
            before(self, *arguments, **options)

    nanny.close_gracefully = unless_closing


def keep_own_forkserver() -> None:
    """Let distributed leave the list of modules that the forkserver imports as it is.

    Relies on ``distributed.utils._forkserver_preload_set`` (2022.6): while it is false, distributed sets its own list
    when a nanny first starts a process.
    """
    import distributed.utils

    distributed.utils._forkserver_preload_set = True


def look_for_workers_every(seconds: float) -> None:
    """Let nannies look more often whether the worker that they have started is up, as they wait for nothing else.

    Relies on ``WorkerProcess._init_msg_interval``, in seconds (2021.1).
    """
    from distributed.nanny import WorkerProcess

    WorkerProcess._init_msg_interval = seconds


def tell_how_workers_end(tell: Callable[[int, int], None]) -> None:
    """Call back with process id and exit status whenever a worker's process has ended with another status than 0.

    The status is negative where a signal ended it, and 255 where nobody knows. Relies on
    ``WorkerProcess._death_message(pid, exitcode)`` giving what is logged then (2021.1).
    """
    from distributed.nanny import WorkerProcess

    process: Any = WorkerProcess
    before = process._death_message

    def telling(self: Any, pid: int, exitcode: int) -> str:
        tell(pid, exitcode)
        message: str = before(self, pid, exitcode)
        return message

    process._death_message = telling
