"""Break a cluster on purpose, and see in the scheduler's own log what it does then."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...dask_internals.scheduler_information import known_workers
from ...dask_internals.scheduler_state import n_transitions, transitions_since

if TYPE_CHECKING:
    from types import TracebackType

    from distributed import Client

_LOST_WORKER_TIMEOUT, _LONG = "distributed.deploy.lost-worker-timeout", "1 hour"
_usual: Any = "15s"  # in the scheduler's process: what the setting was before

PATIENCE_SECONDS = 60.0
"""How long to wait for a restarted worker."""


def addresses(client: Client) -> list[str]:
    """Return the addresses of all workers, in the order of their names."""
    workers = known_workers(client)
    return sorted(workers, key=lambda address: str(workers[address]["name"]))


def crash(client: Client, worker: str) -> None:
    """End a worker's process at once, without a goodbye, as a power cut would; return when the scheduler has noticed.

    What the worker held in memory is gone. Its nanny, a small process that watches over it, starts a new worker with a
    new address soon afterwards.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    worker : str
        Address of the worker.
    """
    # The process cannot answer any more, which is not an error here.
    client.run(os._exit, 1, workers=[worker], on_error="ignore")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while worker in client.scheduler_info(n_workers=-1).get("workers", {}) and time.monotonic() < deadline:
        time.sleep(0.02)


def recovered(client: Client, futures: Iterable[Any]) -> None:
    """Wait until the scheduler has all these results in memory again.

    After a crash, ``distributed.wait`` may come too early: for a moment, the notebook does not yet know what was lost.
    """
    keys = [future.key for future in futures]
    deadline = time.monotonic() + PATIENCE_SECONDS
    while missing := client.run_on_scheduler(_missing, keys=keys):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{missing} results did not come back. Restart the cluster in the panel.")
        time.sleep(0.05)


def _missing(dask_scheduler: Any, keys: list[str]) -> int:
    tasks = dask_scheduler.tasks
    return sum(key not in tasks or tasks[key].state != "memory" for key in keys)


def expect_crashes(client: Client, expected: bool = True) -> None:
    """Leave it to the nannies alone to replace workers, or, with ``False``, no longer.

    Some seconds after a crash, Dask's cluster object looks whether the worker came back. If it looks while the next
    crash of the same worker is being repaired, it replaces the nanny as well, and the new worker is lost once more.
    """
    client.run_on_scheduler(_set_lost_worker_timeout, expected=expected)


def _set_lost_worker_timeout(expected: bool) -> None:
    import dask

    global _usual
    now = dask.config.get(_LOST_WORKER_TIMEOUT)
    if expected and now != _LONG:
        _usual = now
    dask.config.set({_LOST_WORKER_TIMEOUT: _LONG if expected else _usual})


def restored(client: Client, n_workers: int) -> None:
    """Wait until `n_workers` workers are back.

    Raises
    ------
    TimeoutError
        After a minute.
    """
    # Not client.wait_for_workers: it may count from a list that is two seconds old, with the dead worker in it.
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (running := _running(client)) < n_workers:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{running} of {n_workers} workers came back. Restart the cluster in the panel.")
        time.sleep(0.05)


def _running(client: Client) -> int:
    known = client.scheduler_info(n_workers=-1).get("workers", {})  # nothing, once the scheduler is gone
    return sum(worker["status"] == "running" for worker in known.values())


def _count(dask_scheduler: Any) -> int:
    return n_transitions(dask_scheduler)


def _computed_since(dask_scheduler: Any, before: int) -> Counter[str]:
    # A task that was computed goes from processing to memory.
    return Counter(
        key for key, *states in transitions_since(dask_scheduler, before) if states == ["processing", "memory"]
    )


class TaskHistory:
    """How often each task was computed inside a ``with`` block, by the scheduler's own log.

    The log is short (1,000 changes of state by default): enough for a few hundred tasks.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.

    Attributes
    ----------
    computed : collections.Counter
        Number of times, by key; known when the block has ended.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.computed: Counter[str] = Counter()
        self._before = 0

    def __enter__(self) -> TaskHistory:
        self._before = self.client.run_on_scheduler(_count)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.computed = self.client.run_on_scheduler(_computed_since, before=self._before)

    @property
    def again(self) -> set[str]:
        """Keys that were computed more than once."""
        return {key for key, times in self.computed.items() if times > 1}
