"""One running cluster of any kind: the part of the contract that lasts from its start to its end.

The supervisor compares what is wanted with ``slots()`` and requests the difference. A request returns once it is
passed on: workers may come now or, from a queue, in an hour, and ``slots()`` shows which. ``cause_of`` returns why
something failed.
"""

from __future__ import annotations

import asyncio
import errno
from abc import ABC, abstractmethod
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from ..protocol.errors import GPUClusterError, InvalidState
from ..protocol.refusals import folder_of, open_files_refusal, storage_refusal
from ..protocol.spec import Adapt
from ..protocol.telemetry import Decision
from ..protocol.verbs import VERBS, Verb
from .scheduler.view import SchedulerView

RESTART_TIMEOUT_SECONDS = 90.0
"""Dask's own client waits 120 s for a restart, four times its connection timeout, and so do our verbs. This is a little
less, so that the caller learns what did not come back. GPU workers import RAPIDS again."""

_LEAVING_LOOKS = 200
_LOOK_SECONDS = 0.05  # A restart waits 10 s for workers that are leaving: Dask would expect them back.


class SlotState(StrEnum):
    """State of a worker."""

    PENDING = "pending"  # Requested: it waits in a queue, or starts.
    RUNNING = "running"  # Connected to the scheduler.
    LOST = "lost"  # It was running and is gone, and comes back only if the supervisor requests it.
    FAILED = "failed"  # It could not be started.
    LEAVING = "leaving"  # Requested to end, and not gone yet.


@dataclass(frozen=True)
class Slot:
    """One worker that was requested."""

    name: str  # The name that the worker has, or will have, for the scheduler.
    state: SlotState
    since: datetime  # Since when it is in this state.
    why: str | None = None  # Why it waits, could not be started or is gone, without a full stop.
    node: str | None = None  # Its machine, if that is known and is not the scheduler's.
    ends: datetime | None = None  # When its time limit is over, with its time zone.
    comes_with: str | None = None  # Its job, where several workers share one.


def could_not_start(failed: int, wanted: int, why: str) -> str:
    return f"{failed} of {wanted} workers could not start: {why}."


class Deployment(ABC):
    """Scheduler and workers of one cluster, made by ``Backend.start``. Used on one event loop."""

    scheduler: SchedulerView  # The view of its scheduler.
    unit: str = "worker"  # What a request is called while it waits: 'job', 'pod'.
    workers_together: int = 1  # Number of workers that come and go together, as those of one job do.
    whole_jobs: bool = True  # Whether the number is a multiple of that; otherwise the last job may have fewer.
    submitted: str | None = None  # What was submitted to start the workers, such as a batch script; without secrets.
    limit: int | None = None  # The most workers that will be granted, once that is known.
    can: frozenset[Verb] = frozenset()  # Verbs of this cluster; the supervisor refuses the others.
    lost_together: bool = False  # Whether all workers are lost when one is; then it reports why, once for all.
    why_not: str | None = None  # Why it has no other verbs, as the end of a sentence: 'it was started elsewhere'.

    def supports(self, verb: Verb) -> bool:
        return VERBS[verb].cannot is None or verb in self.can

    @abstractmethod
    def slots(self) -> list[Slot]:
        """Return the workers that were requested, in that order; immediate, without a request to another process."""

    def leaving(self, n: int) -> set[str]:
        """Return the names of the workers that ``scale(n)`` will remove.

        Those that have not connected yet hold nothing and leave first, then those that were requested last.
        """
        names = self._leaving_order()
        return set(names[: max(0, len(names) - n)])

    def _leaving_order(self) -> list[str]:
        counted = [slot for slot in self.slots() if slot.state is not SlotState.LEAVING][::-1]
        return [slot.name for slot in sorted(counted, key=lambda slot: slot.state is SlotState.RUNNING)]

    async def scale(self, n: int) -> None:
        """Request a fixed number of workers, and those again that are lost; ends ``adapt``."""
        raise self._refusal("be scaled")

    async def lower_memory_limit(self, limit_bytes: int) -> None:
        """Limit the host memory of each worker, now and later.

        A worker that uses more spills and pauses until it uses less, and loses nothing. Called for clusters whose plan
        ``shares_memory``.
        """
        raise self._refusal("divide their memory again")

    async def adapt(self, bounds: Adapt | None) -> None:
        """Start adaptive scaling within bounds, or stop it with ``None``; it also replaces workers that are lost."""
        raise self._refusal("scale adaptively")

    def decisions(self) -> list[Decision]:
        """Return the decisions of adaptive scaling since `adapt` was last called, oldest first; immediate."""
        return []

    def gives_up(self) -> int | None:
        """Return how often workers could not be started, once further requests are useless; immediate."""
        return None

    @abstractmethod
    async def release(self, names: Collection[str]) -> None:
        """End these workers in any state, and do not replace them. Their results were moved before."""

    async def restart(self) -> None:
        """Restart all workers and forget all tasks. Raises `TimeoutError`: not all have come back in time."""
        for _ in range(_LEAVING_LOOKS):
            if not self._still_leaving():
                break
            await asyncio.sleep(_LOOK_SECONDS)
        await self.scheduler.restart_workers(RESTART_TIMEOUT_SECONDS)

    def _still_leaving(self) -> bool:
        leaving = {slot.name for slot in self.slots() if slot.state is SlotState.LEAVING}
        return bool(leaving) and any(worker.name in leaving for worker in self.scheduler.members().workers)

    @abstractmethod
    async def close(self) -> None:
        """End scheduler and workers, and forget the view of the scheduler.

        Raises an exception if something may be left: the supervisor then calls ``Backend.reap``, with what was
        remembered.
        """

    def notes(self) -> list[str]:
        """Return current remarks as sentences, such as that workers will end soon; immediate."""
        return []

    def warnings(self) -> list[str]:
        """Return urgent remarks as sentences, such as that a time limit is nearly over; immediate."""
        return []

    def device_of(self, name: str) -> str | None:
        """Return the UUID (or index) of the GPU of one worker, ``None`` on CPU workers."""
        return None

    def how_ended(self, pid: int) -> int | None:
        """Return the exit status of a worker's process, negative for a signal; ``None``: unknown."""
        return None

    def gpu_trouble(self, device: str) -> str | None:
        """Return the error of a GPU in the last seconds, in a few words; ``None``: none is known."""
        return None

    def _refusal(self, verb: str) -> InvalidState:
        return InvalidState(f"The workers of this kind of cluster cannot {verb}.")


_FULL_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


def _refusal_in(error: BaseException | None) -> str | None:
    """Return what the system refused anywhere in a chain: distributed fails on it and raises something else."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        refusal = open_files_refusal(error)
        if refusal is None and isinstance(error, OSError) and error.errno in _FULL_DISK and error.filename is not None:
            refusal = storage_refusal(error, folder_of(error, Path()))
        if refusal is not None:
            return refusal.rstrip(".")
        error = error.__cause__ or error.__context__
    return None


def _text_of(error: BaseException) -> str:
    """Return an error's message. A built-in exception from a worker has kept only its arguments."""
    if type(error).__module__ == "builtins" and not isinstance(error, OSError):
        with suppress(Exception):
            error = type(error)(*error.args)
    return str(error)


def cause_of(error: BaseException) -> str:
    """Return the innermost real cause of an error chain in a few words."""
    refused = _refusal_in(error)
    if refused is not None:
        return refused
    # Only explicit causes: an error that merely was being handled explains nothing. Our own errors are readable.
    while (
        not isinstance(error, GPUClusterError)
        and error.__cause__ is not None
        and not isinstance(error.__cause__, (asyncio.CancelledError, TimeoutError))
    ):
        error = error.__cause__
    if isinstance(error, GPUClusterError):
        return error.message.rstrip(".")
    text = _text_of(error).strip().splitlines()
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"the module '{error.name}' is not installed"
    first = text[0].rstrip(".") if text else ""
    return f"{type(error).__name__}: {first[:300]}" if first else type(error).__name__
