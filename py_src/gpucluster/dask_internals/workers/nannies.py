"""Nannies, and the worker processes that they supervise."""

from collections.abc import Callable
from typing import Any


def is_starting(nanny: Any) -> bool:
    """Whether a worker's process is starting. Relies on the same as ``kill_starting_process``."""
    from distributed.core import Status

    process = getattr(nanny, "process", None)
    return process is not None and process.status == Status.starting


async def kill_starting_process(nanny: Any) -> None:
    """Kill a worker's process that is still starting; does nothing for any other, or for a worker without a nanny.

    A nanny waits for its worker to be up before it closes it, even if the start hangs. Relies on
    ``Nanny.process``, a ``WorkerProcess`` with ``status``, ``process`` and the coroutine ``kill()`` (2021.1).
    """
    if is_starting(nanny) and nanny.process.process is not None:
        await nanny.process.process.kill()


def close_once() -> None:
    """Let a closing nanny continue to close when its worker, which the scheduler is ending, asks it to.

    Otherwise it forgets that it is closing and, when the worker's process ends, closes a second time: the log
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
    """Keep distributed from changing the list of modules that the forkserver imports.

    Relies on ``distributed.utils._forkserver_preload_set`` (2022.6): while it is false, distributed sets its own list
    when a nanny first starts a process.
    """
    import distributed.utils

    distributed.utils._forkserver_preload_set = True


def look_for_workers_every(seconds: float) -> None:
    """Set how often nannies poll whether a worker is up: ``WorkerProcess._init_msg_interval`` (2021.1)."""
    from distributed.nanny import WorkerProcess

    WorkerProcess._init_msg_interval = seconds


def report_worker_exits(report: Callable[[int, int], None]) -> None:
    """Call back with process id and exit status whenever a worker's process has ended with another status than 0.

    The status is negative if a signal ended it, and 255 if it is unknown. Relies on
    ``WorkerProcess._death_message(pid, exitcode)`` returning the log entry (2021.1).
    """
    from distributed.nanny import WorkerProcess

    process: Any = WorkerProcess
    before = process._death_message

    def reporting(self: Any, pid: int, exitcode: int) -> str:
        report(pid, exitcode)
        return before(self, pid, exitcode)

    process._death_message = reporting
