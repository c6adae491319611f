"""What deserves a mark in a cluster's history: the first spill, the first pause, a silent worker, a lost GPU."""

from __future__ import annotations

from ...backends.scheduler.view import Columns, Members
from ...protocol.sizes import format_size
from .worker_titles import WorkerTitles, figure

Mark = tuple[str, str]  # Kind and message of a piece of news.
_LONGEST_TROUBLE = 90
SILENT_SECONDS = 30.0
"""Workers report every few seconds. The scheduler removes one that hangs only after minutes, since a task that holds
Python's lock silences its worker as well."""


class Marks:
    """Looks at each reading for something new. `titles`: what users call the workers."""

    def __init__(self, titles: WorkerTitles) -> None:
        self._titles = titles
        self._spilled = self._paused = False
        self._lost: set[str] = set()
        self._silent: set[str] = set()

    def forget(self) -> None:
        """Start over, as after a restart of all workers."""
        self._spilled = self._paused = False

    def look_at(self, columns: Columns, members: Members) -> list[Mark]:
        """Return what is new. `columns`: as read from the heartbeats. `members`: the present workers and clients."""
        return [*self._spill(columns), *self._pause(members), *self._silence(columns), *self._gpus(columns)]

    def _spill(self, columns: Columns) -> list[Mark]:
        if self._spilled:
            return []
        for place, worker in enumerate(columns["workers"]):
            has_gpu = figure(columns, "device", place) is not None
            for tier, where in (("tier_disk_bytes", "on disk"), ("tier_host_bytes", "in host memory")):
                size = figure(columns, tier, place)
                # Without a GPU, host memory is where results belong.
                if size and (has_gpu or tier == "tier_disk_bytes"):
                    self._spilled = True
                    full = "the GPU's memory" if has_gpu else "its memory"
                    results = f"{format_size(size)} of results are {where}"
                    return [("spill", f"{self._titles.of(worker)} spills, as {full} fills up: {results}.")]
        return []

    def _pause(self, members: Members) -> list[Mark]:
        paused = [worker for worker in members.workers if worker.paused]
        if self._paused or not paused:
            return []
        self._paused = True
        why = "its memory is probably almost full"
        if paused[0].spills_no_more:
            why = "its next result may not fit into its memory, and does not fit into the scratch that it may take"
        return [("pause", f"{self._titles.of(paused[0].name)} is paused and starts no new tasks: {why}.")]

    def _silence(self, columns: Columns) -> list[Mark]:
        ages = zip(columns["workers"], columns.get("age_seconds", ()), strict=False)
        silent = {worker for worker, age in ages if age is not None and age > SILENT_SECONDS}
        new, self._silent = sorted(silent - self._silent), silent
        why = f"has been silent for {SILENT_SECONDS:.0f} s: it hangs, or a task holds Python's lock."
        return [("pause", f"{self._titles.of(worker)} {why}") for worker in new]

    def _gpus(self, columns: Columns) -> list[Mark]:
        marks: list[Mark] = []
        broken: set[str] = set()
        for place, worker in enumerate(columns["workers"]):
            trouble = figure(columns, "device_error", place)
            if trouble is None:
                continue
            broken.add(worker)
            if worker not in self._lost:
                marks.append(("gpu", f"{self._titles.of(worker)}: {str(trouble)[:_LONGEST_TROUBLE]}"))
        self._lost = broken
        return marks
