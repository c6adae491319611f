"""The scratch directory of one cluster: how much of its disk workers may take, and what keeps them within that.

A full disk affects all users: notebooks cannot be saved, other clusters and the registry fail. So each worker may spill
an equal part of the cluster's limit, and nothing while the disk has little room left. What does not fit stays in
memory; Dask pauses a worker whose memory is almost full, until results are released.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..backends.scheduler.view import Columns, Members, SchedulerView
from ..protocol.plain_text import counted
from ..protocol.sizes import format_size

if TYPE_CHECKING:
    from distributed import Worker


LEAST_ROOM_BYTES = 256 * 2**20
MOST_ROOM_BYTES = 10 * 2**30
ROOM_SHARE = 0.05  # Fraction of a disk left to everything else: notebooks, other users, the registry.
AUTO_SHARE = 0.5  # Of what is free beyond that: others start clusters, too.
SMALL_DISK_SHARE = 0.25  # Of a disk so small that the least room would be most of it.


@dataclass(frozen=True)
class Disk:
    path: str  # Where it is mounted.
    total_bytes: int
    free_bytes: int  # For this user.

    @property
    def room_bytes(self) -> int:
        least = min(LEAST_ROOM_BYTES, int(SMALL_DISK_SHARE * self.total_bytes))
        return min(MOST_ROOM_BYTES, max(least, int(ROOM_SHARE * self.total_bytes)))


def disk_of(folder: Path) -> Disk:
    """Return the disk of an existing folder. Raises `OSError`."""
    found = os.statvfs(folder)
    place = folder.resolve()
    while not os.path.ismount(place) and place != place.parent:
        place = place.parent
    return Disk(str(place), found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)


def limit_bytes(wanted: int | float | str | None, disk: Disk) -> int | None:
    """Return how many bytes of a disk a new cluster may take; ``None``: no limit. `wanted`: or a fraction, ``auto``."""
    if wanted is None:
        return None
    if wanted == "auto":
        return int(AUTO_SHARE * max(0, disk.free_bytes - disk.room_bytes))
    return int(wanted * disk.total_bytes) if isinstance(wanted, float) else int(wanted)


BOUND = "gpucluster-scratch"


def pickled_bound(limit_bytes: int | None) -> bytes:
    """Return the pickled plugin for the scheduler; its class is sent by value, like that of ``telemetry.plugin``."""
    import cloudpickle
    from distributed import WorkerPlugin

    class SpillBound(WorkerPlugin):
        def __init__(self, limit_bytes: int | None) -> None:
            self.limit_bytes = limit_bytes

        def setup(self, worker: Worker) -> None:
            import logging

            try:
                from gpucluster.dask_internals.workers.memory import bound_spilling, spills_no_more
                from gpucluster.dask_internals.workers.worker_state import set_metric
                from gpucluster.telemetry.columns import SPILL_METRIC

                if bound_spilling(worker, self.limit_bytes):
                    set_metric(worker, SPILL_METRIC, spills_no_more)
            except Exception as error:  # An error in here would keep the worker from starting.
                logging.getLogger("gpucluster.supervisor").warning(
                    "Spilling of this worker cannot be limited (%s: %s)", type(error).__name__, error
                )

    pickled: bytes = cloudpickle.dumps(SpillBound(limit_bytes))
    return pickled


logger = logging.getLogger("gpucluster.supervisor")

LOOK_SECONDS = 2.0
BEGIN_SECONDS = 5.0  # A worker that hangs does not delay a cluster; it is bounded as soon as it answers.
WALK_SECONDS = 30.0  # Minimum between two walks through the directory; and a hundred times the duration of the last.
WARN_SHARE = 0.8
ROOM_AGAIN = 1.25  # Multiple of the room that must be free before workers spill again.


class ScratchWatch:
    """Checks one cluster's scratch, and tells the activity. `why_none`: why the limit is 0 bytes, and what to do."""

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
        self._has_gpus = has_gpus  # dask-cuda spills without a limit.
        self._why_none = why_none or "its disk was full when it started. Free some space, and create it again."
        self._bound: int | None = -1  # The limit that was sent to the workers; -1: none yet.
        self._low = False
        self._walked = 0
        self._looked = self._walk_at = float("-inf")
        self._walking: asyncio.Task[None] | None = None
        self._bounding: asyncio.Task[None] | None = None
        self._reported: set[str] = set()
        self.warnings: list[str] = []

    async def begin(self, n_workers: int) -> None:
        """Bound the workers that are starting, before clients can use them."""
        self._bound_workers(max(1, n_workers))
        if self._bounding is not None:
            await asyncio.wait({self._bounding}, timeout=BEGIN_SECONDS)

    def look(self, columns: Columns, members: Members) -> None:
        """Check, if it is time; returns at once."""
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
        if found is None:
            # A worker that spills no more waits again as soon as there is another result.
            if not any(worker.spills_no_more for worker in members.workers):
                self._reported.clear()
        elif found[0] not in self._reported:
            self._reported.add(found[0])
            self._tell("spill", found[1])

    def close(self) -> None:
        for task in (self._walking, self._bounding):
            if task is not None:
                task.cancel()

    # -- reports ----------------------------------------------------------------------------

    def _low_disk(self, disk: Disk) -> tuple[str, str, str]:
        free, room = format_size(disk.free_bytes), format_size(disk.room_bytes)
        short = f"The disk {disk.path[-40:]} has {free} left: spilling is paused until it has {room}."
        if self._has_gpus:
            short = f"The disk {disk.path[-40:]} has {free} left, less than {room}: what workers spill may fill it."
        advice = (
            "Results stay in memory, and workers whose memory is almost full pause. Free some space there, or "
            "release results that you do not need."
        )
        return "low", short, f"{short} {advice}"

    def _filling(self, columns: Columns, members: Members) -> tuple[str, str, str] | None:
        if self._limit == 0 and not self._has_gpus:
            nothing = "Nothing may be spilled to disk:"
            effect = "results stay in memory, and workers whose memory is almost full pause, as"
            return "none", f"{nothing} {self._why_none.partition('. ')[0]}.", f"{nothing} {effect} {self._why_none}"
        if not self._limit:
            return None
        spilled = [size or 0 for size in columns.get("tier_disk_bytes", ())]
        used = max(sum(spilled), self._walked)
        part = self._limit / max(1, len(members.workers))
        fullest = max(spilled, default=0)
        # With large results, much of a part may be empty when the next one does not fit.
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
        advice = "Release results that you do not need, or create a cluster with more memory or a larger scratch_limit."
        return "full" if paused else "filling", short, f"{short} {advice}"

    # -- actions ---------------------------------------------------------------------------------

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
            # A worker may have left meanwhile. Those that come later are still bounded.
            logger.warning("The spill limit of some workers is not set (%s: %s)", type(error).__name__, error)

    async def _walk(self) -> None:
        begun = time.monotonic()
        try:
            self._walked = await asyncio.to_thread(used_bytes, self._directory)
        finally:
            self._walk_at = time.monotonic() + max(WALK_SECONDS, 100 * (time.monotonic() - begun))
            self._walking = None


def _percent(part: int, whole: int) -> str:
    # In steps of 5 %: each new text is written to the activity.
    return f"{min(100, 5 * round(20 * part / whole))} %"


MOST_ENTRIES = 20_000
_BLOCK_BYTES = 512


def used_bytes(directory: Path, most_entries: int = MOST_ENTRIES) -> int:
    """Return the bytes on disk below a directory, without following links; after ``most_entries`` it reads no more."""
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
