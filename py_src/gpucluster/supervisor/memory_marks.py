"""The first time that a cluster spills, that a worker is paused, and that a GPU is lost: marks in its history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backends.scheduler.view import Columns, Members
from ..protocol.sizes import format_size

Mark = tuple[str, str]
"""Kind and message of a piece of news."""
_LONGEST_TROUBLE = 90


class MemoryMarks:
    """Looks at each reading for what has not been there before."""

    def __init__(self) -> None:
        self._spilled = self._paused = False
        self._lost: set[str] = set()

    def forget(self) -> None:
        """Begin anew, as after a restart of all workers."""
        self._spilled = self._paused = False

    def look_at(self, columns: Columns, members: Members) -> list[Mark]:
        """Return what is new.

        Parameters
        ----------
        columns : dict
            As the heartbeats have brought them.
        members : Members
            Who takes part now.
        """
        return [*self._spill(columns), *self._pause(members), *self._gpus(columns)]

    def _spill(self, columns: Columns) -> list[Mark]:
        if self._spilled:
            return []
        for place in range(len(columns["workers"])):
            has_gpu = _at(columns, "device", place) is not None
            for tier, where in (("tier_disk_bytes", "on disk"), ("tier_host_bytes", "in host memory")):
                size = _at(columns, tier, place)
                # Without a GPU, host memory is where results belong.
                if size and (has_gpu or tier == "tier_disk_bytes"):
                    self._spilled = True
                    who = _title(columns, place)
                    message = f"{who} spills, as its memory fills up: {format_size(size)} of results are {where}."
                    return [("spill", message)]
        return []

    def _pause(self, members: Members) -> list[Mark]:
        paused = [worker for worker in members.workers if worker.paused]
        if self._paused or not paused:
            return []
        self._paused = True
        why = "most likely its memory is almost full"
        return [("pause", f"Worker {paused[0].name} is paused and starts no new tasks: {why}.")]

    def _gpus(self, columns: Columns) -> list[Mark]:
        marks: list[Mark] = []
        broken: set[str] = set()
        for place, worker in enumerate(columns["workers"]):
            trouble = _at(columns, "device_error", place)
            if trouble is None:
                continue
            broken.add(worker)
            if worker not in self._lost:
                marks.append(("gpu", f"{_title(columns, place)}: {str(trouble)[:_LONGEST_TROUBLE]}"))
        self._lost = broken
        return marks


def _title(columns: Columns, place: int) -> str:
    """Return a worker's name for people: ``GPU 3`` where it is named after its device, else ``Worker 0``."""
    number, machine = _at(columns, "device_index", place), _at(columns, "host", place)
    if number is None:
        return f"Worker {columns['workers'][place]}"
    machines = {one for one in columns.get("host", ()) if one is not None}
    return f"GPU {number} · {machine}" if len(machines) > 1 and machine is not None else f"GPU {number}"


def _at(columns: Columns, name: str, place: int) -> Any:
    values: Sequence[Any] = columns.get(name, ())
    return values[place] if place < len(values) else None
