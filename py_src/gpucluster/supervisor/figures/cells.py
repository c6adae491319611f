"""Writes down what each cell has had computed, with memory and traffic of the cluster meanwhile."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...backends.scheduler.view import Columns
from ...protocol.cells import CellProgress, CellWork
from ...protocol.telemetry import known_sum, totals
from ...registry import cells as file
from ...registry.moments import stamped

logger = logging.getLogger("gpucluster.supervisor")

MOST = 200  # Cells that may still change.
RECENT_SECONDS = 15.0  # Viewers miss lines while their connection is full: the end of a cell is repeated this long.


class CellLog:
    """Keeps the cells of a cluster in a file of its folder.

    `path`: of the file. What cannot be written is left out, and written with the next change.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._cells: dict[str, CellWork] = {}
        self._meanwhile: dict[str, _Meanwhile] = {}
        self._fails = False
        self._changed_at: dict[str, float] = {}

    def add(self, told: list[dict[str, Any]], columns: Columns) -> None:
        """Note how the cells are now. `told`: what ``SchedulerView.cells`` returned."""
        changed = []
        for fields in told:
            id = fields["id"]
            known = self._cells.get(id)
            meanwhile = self._meanwhile.setdefault(id, _Meanwhile(columns))
            if known is None or known.ended is None or fields["ended"] is None:
                meanwhile.look(columns)
            cell = _cell(fields, meanwhile)
            if cell != known:
                self._cells[id] = cell
                self._changed_at[id] = time.monotonic()
                changed.append(cell)
        self._write(changed)
        for id in [id for id, cell in self._cells.items() if cell.ended is not None][:-MOST]:
            del self._cells[id], self._meanwhile[id], self._changed_at[id]

    def recent(self) -> list[CellProgress]:
        """Return how far the cells are that compute or have changed in the last seconds."""
        since = time.monotonic() - RECENT_SECONDS
        cells = [cell for id, cell in self._cells.items() if cell.ended is None or self._changed_at[id] > since]
        return [progress for cell in cells if (progress := CellProgress.of(cell)) is not None]

    def end(self) -> None:
        """Note that the cluster ends: what is not done is lost."""
        self._write([cell.model_copy(update={"lost": True}) for cell in self._cells.values() if cell.ended is None])

    def _write(self, cells: list[CellWork]) -> None:
        if not cells:
            return
        try:
            file.append(self._path, cells)
            self._fails = False
        except OSError as error:
            for cell in cells:
                self._cells.pop(cell.id, None)  # It is new again with the next look.
            if not self._fails:
                logger.warning("What cells compute cannot be written down (%s)", error)
            self._fails = True


class _Meanwhile:
    """Memory and traffic of all workers since a moment."""

    def __init__(self, columns: Columns) -> None:
        self._before = _received(columns)
        self.peaks: dict[str, int | None] = {}

    def look(self, columns: Columns) -> None:
        now = totals(columns)
        figures: dict[str, float | None] = {
            "n_workers": len(columns["workers"]),
            "memory_peak_bytes": now["memory_bytes"],
            "vram_peak_bytes": now["vram_used_bytes"],
            "spilled_peak_bytes": known_sum(columns.get("tier_disk_bytes", ())),
        }
        received = _received(columns)
        if received:
            moved = sum(max(0, count - self._before.get(name, 0)) for name, count in received.items())
            figures["moved_bytes"] = moved
        for name, value in figures.items():
            if value is not None:
                self.peaks[name] = max(int(value), self.peaks.get(name) or 0)


def _received(columns: Columns) -> dict[str, int]:
    counts = zip(columns["workers"], columns.get("received_bytes", ()), strict=False)
    return {name: count for name, count in counts if count is not None}


def _cell(fields: dict[str, Any], meanwhile: _Meanwhile) -> CellWork:
    ended = fields["ended"]
    moments = {"began": _moment(fields["began"]), "ended": None if ended is None else _moment(ended)}
    return CellWork.model_validate({**fields, **moments, **meanwhile.peaks})


def _moment(seconds: float) -> str:
    return stamped(datetime.fromtimestamp(seconds, UTC))
