"""Watches the scratch directory of one cluster, at a slow rate, and keeps its workers within what they may take.

A full disk takes everybody's work along: notebooks that cannot be saved, other users' clusters, the registry. So each
worker may spill an equal part of the cluster's limit, and nothing while the disk has little room left. What does not
fit stays in memory; Dask pauses a worker whose memory is almost full, until results are released.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ...backends.scheduler.view import Columns, Members, SchedulerView
from ...protocol.plain_text import counted
from ...protocol.sizes import format_size
from .room import Disk, disk_of

if TYPE_CHECKING:
    from distributed import Worker


BOUND = "gpucluster-scratch"


def pickled_bound(limit_bytes: int | None) -> bytes:
    """Return the plugin as the scheduler keeps it; its class is sent by value, as that of ``telemetry.plugin``."""
    import cloudpickle
    from distributed import WorkerPlugin

    class SpillBound(WorkerPlugin):
        def __init__(self, limit_bytes: int | None) -> None:
            self.limit_bytes = limit_bytes

        def setup(self, worker: Worker) -> None:
            import logging

            try:
                from gpucluster.dask_internals.workers.spilling import bound_spilling, spills_no_more
                from gpucluster.dask_internals.workers.worker_state import set_metric
                from gpucluster.telemetry.columns import SPILL_METRIC

                if bound_spilling(worker, self.limit_bytes):
                    set_metric(worker, SPILL_METRIC, spills_no_more)
            except Exception as error:  # An error in here would keep the worker from starting.
                logging.getLogger("gpucluster.supervisor").warning(
                    "What this worker spills cannot be bounded (%s: %s)", type(error).__name__, error
                )

    pickled: bytes = cloudpickle.dumps(SpillBound(limit_bytes))
    return pickled


logger = logging.getLogger("gpucluster.supervisor")

LOOK_SECONDS = 2.0
BEGIN_SECONDS = 5.0  # A worker that hangs keeps no cluster from running; it is bounded as soon as it answers.
WALK_SECONDS = 30.0  # Between two walks through the directory, at least; and a hundred times the last one's time.
WARN_SHARE = 0.8
ROOM_AGAIN = 1.25  # So many times the room must be free before workers spill again.


class ScratchWatch:
    """Looks at one cluster's scratch, once a second or less.

    * `directory`: which exists.
    * `limit_bytes`: what the cluster may take; ``None``: as much as there is.
    * `tell`: writes a kind and a sentence into the activity, and announces it.
    * `has_gpus`: whether workers spill in dask-cuda's way, which knows no limit.
    * `why_none`: why the limit is 0 bytes, and what to do.
    """

    def __init__(
        self,
        directory: Path,
        limit_bytes: int | None,
        scheduler: SchedulerView,
        tell: Callable[[str, str], None],
        *,
        has_gpus: bool = False,
        why_none: str | None = None,
    ) -> None:
        self._directory = directory
        self._limit = limit_bytes
        self._scheduler = scheduler
        self._tell = tell
        self._has_gpus = has_gpus
        self._why_none = why_none or "its disk had no room when it started. Free some, and create it again."
        self._bound: int | None = -1  # What each worker was told that it may spill; -1: nothing yet.
        self._low = False
        self._walked = 0
        self._looked = self._walk_at = float("-inf")
        self._walking: asyncio.Task[None] | None = None
        self._bounding: asyncio.Task[None] | None = None
        self._told: set[str] = set()
        self.warnings: list[str] = []  # What is wrong now, in sentences.

    async def begin(self, n_workers: int) -> None:
        """Bound the workers that are on their way, before anybody can give them anything to keep."""
        self._bound_workers(max(1, n_workers))
        if self._bounding is not None:
            await asyncio.wait({self._bounding}, timeout=BEGIN_SECONDS)

    def look(self, columns: Columns, members: Members) -> None:
        """Look, if it is time; returns at once."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        disk = disk_of(self._directory)
        self._low = disk.free_bytes < disk.room_bytes * (ROOM_AGAIN if self._low else 1)
        self._bound_workers(max(1, len(members.workers)))
        if now >= self._walk_at and self._walking is None:
            self._walking = asyncio.create_task(self._walk())
        found = self._low_disk(disk) if self._low else self._filling(columns, members)
        self.warnings = [] if found is None else [found[2]]
        if found is None and not any(worker.spills_no_more for worker in members.workers):
            self._told.clear()
        elif found is None:
            pass  # It waits again as soon as there is another result.
        elif found[0] not in self._told:
            self._told.add(found[0])
            self._tell("spill", found[1])

    def close(self) -> None:
        for task in (self._walking, self._bounding):
            if task is not None:
                task.cancel()

    # -- reports ----------------------------------------------------------------------------

    def _low_disk(self, disk: Disk) -> tuple[str, str, str]:
        free, room = format_size(disk.free_bytes), format_size(disk.room_bytes)
        short = f"The disk {disk.path[-40:]} has {free} left: workers spill no more until it has {room}."
        if self._has_gpus:
            short = f"The disk {disk.path[-40:]} has {free} left, less than {room}: what workers spill may fill it."
        return (
            "low",
            short,
            f"{short} Results stay in memory, and workers whose memory is almost full pause. Free some space there, or "
            "release results that you do not need.",
        )

    def _nothing(self) -> tuple[str, str, str]:
        short = f"Nothing may be spilled to disk: {self._why_none.partition('. ')[0]}."
        return (
            "none",
            short,
            "Nothing may be spilled to disk: results stay in memory, and workers whose memory is almost full pause, as "
            + self._why_none,
        )

    def _filling(self, columns: Columns, members: Members) -> tuple[str, str, str] | None:
        if self._limit == 0 and not self._has_gpus:
            return self._nothing()
        if not self._limit:
            return None
        spilled = [size or 0 for size in columns.get("tier_disk_bytes", ())]
        used = max(sum(spilled), self._walked)
        part = self._limit / max(1, len(members.workers))
        fullest = max(spilled, default=0)
        # With large results the last one that fits may leave much of a part empty.
        refused = any(worker.paused and worker.spills_no_more for worker in members.workers)
        if used < WARN_SHARE * self._limit and fullest < WARN_SHARE * part and not refused:
            return None
        paused = sum(worker.paused for worker in members.workers)
        of = f"of the {format_size(self._limit)} that it may take"
        if paused:
            if used < WARN_SHARE * self._limit:
                of = f"of its {format_size(self._limit)}; the next result does not fit"
            short = f"Scratch is full ({_percent(used, self._limit)} {of}): results stay in memory, and "
            short += f"{paused} of {counted(len(members.workers), 'worker')} wait{'s' * (paused == 1)}."
        else:
            short = f"Scratch fills up ({_percent(used, self._limit)} {of}); then results stay in memory."
        help_ = "Release results that you do not need, or create a cluster with more memory or a larger scratch_limit."
        return ("full" if paused else "filling", short, f"{short} {help_}")

    # -- what is done ----------------------------------------------------------------------------

    def _bound_workers(self, n_workers: int) -> None:
        bound = 0 if self._low else None if self._limit is None else self._limit // n_workers
        if bound == self._bound or (self._bounding is not None and not self._bounding.done()):
            return
        self._bound = bound
        self._bounding = asyncio.create_task(self._tell_workers(bound))

    async def _tell_workers(self, bound: int | None) -> None:
        try:
            await self._scheduler.add_worker_plugin(BOUND, pickled_bound(bound))
        except Exception as error:
            # A worker that left meanwhile. Those that come later are bounded all the same.
            logger.warning("Some workers do not know how much they may spill (%s: %s)", type(error).__name__, error)

    async def _walk(self) -> None:
        begun = time.monotonic()
        try:
            self._walked = await asyncio.to_thread(used_bytes, self._directory)
        finally:
            self._walk_at = time.monotonic() + max(WALK_SECONDS, 100 * (time.monotonic() - begun))
            self._walking = None


def _percent(part: int, whole: int) -> str:
    # In steps: each new text is written down.
    return f"{min(100, 5 * round(20 * part / whole))} %"


MOST_ENTRIES = 20_000
_BLOCK_BYTES = 512


def used_bytes(directory: Path, most_entries: int = MOST_ENTRIES) -> int:
    """Return what the files below a directory take on its disk, at least: after so many entries nothing more is read.

    Links are not followed, and what vanishes meanwhile does not count.
    """
    total, left, waiting = 0, most_entries, [str(directory)]
    while waiting and left > 0:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                left -= 1
                if left <= 0:
                    break
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * _BLOCK_BYTES
    return total
