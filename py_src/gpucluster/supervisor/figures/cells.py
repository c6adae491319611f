"""Writes down what each cell computed, with memory and traffic of the cluster meanwhile."""

from __future__ import annotations

import logging
import platform
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from ...backends.scheduler.view import Columns
from ...protocol.cells import CellProgress, CellWork, Where, WorkerPeaks
from ...protocol.models import ClusterModel, Cost
from ...protocol.telemetry import known_sum, totals
from ...registry import logs
from ...registry.record import stamped
from ..versions import installed

logger = logging.getLogger("gpucluster.supervisor")

MOST = 200  # Cells that may still change.
MOST_WORKERS = 32  # Whose peaks are kept.
REPORT_SECONDS = 2.0  # Until workers have reported the memory of the last results.
RECENT_SECONDS = 15.0  # Viewers miss lines while their connection is full: the end of a cell is repeated this long.
_OF_WORKERS = {"memory_bytes": "memory_bytes", "vram_bytes": "vram_used_bytes", "spilled_bytes": "tier_disk_bytes"}


class CellLog:
    """Keeps the cells of a cluster in a file of its folder. What cannot be written is written with the next change.

    `cost`: returns what it costs now.
    """

    def __init__(
        self, path: Path, model: ClusterModel | None = None, cost: Callable[[], Cost | None] = lambda: None
    ) -> None:
        self._path = path
        self._model = model
        self._cost = cost
        self._costs_noted = 0.0  # When.
        self._cells: dict[str, CellWork] = {}
        self._meanwhile: dict[str, _Meanwhile] = {}
        self._fails = False
        self._changed_at: dict[str, float] = {}

    @cached_property
    def _where(self) -> Where | None:
        """What is kept about the cluster with each cell. No start waits for it: reading versions takes a moment."""
        if self._model is None:
            return None
        return Where(
            cluster_id=self._model.id, cluster=self._model.name, kind=self._model.backend, host=platform.node(),
            versions=installed(),
        )  # fmt: skip

    def add(self, told: list[dict[str, Any]], columns: Columns) -> bool:
        """Note how the cells are now, as from ``SchedulerView.cells``; returns whether one of them computes."""
        changed = []
        price = self._cost()
        costs = {} if price is None else self._costs(told, price.per_hour / 3600)
        latest = max((fields["began"] for fields in told), default=0.0)
        for fields in told:
            id = fields["id"]
            known = self._cells.get(id)
            meanwhile = self._meanwhile.setdefault(id, _Meanwhile(columns))
            if fields["ended"] is None or known is None or known.ended is None:
                meanwhile.look(columns)
                meanwhile.looked = time.monotonic()
            elif fields["began"] == latest and time.monotonic() - meanwhile.looked < REPORT_SECONDS:
                meanwhile.look_at_memory(columns)  # Workers report it late; what later cells need is theirs.
            meanwhile.cost += costs.get(id, 0.0)
            meanwhile.is_over = fields["ended"] is not None
            cost = self._charged(id) if meanwhile.is_over else {}
            cell = _cell(fields, meanwhile).model_copy(update={"where": self._where, **cost})
            if cell != known:
                self._cells[id] = cell
                self._changed_at[id] = time.monotonic()
                changed.append(cell)
        self._write(changed)
        for id in [id for id, cell in self._cells.items() if cell.ended is not None][:-MOST]:
            del self._cells[id], self._meanwhile[id], self._changed_at[id]
        return any(fields["ended"] is None for fields in told)

    def _costs(self, told: list[dict[str, Any]], per_second: float) -> dict[str, float]:
        """Return what each cell has cost since the last call; cells that computed at the same time share the cost.

        A cell that ended before the last call gets back what it was charged since.
        """
        since, until = self._costs_noted, time.time()
        self._costs_noted = until
        spans, begins = {}, [until]
        for fields in told:
            id, began, ended = fields["id"], max(fields["began"], since), fields["ended"]
            if ended is None or id not in self._meanwhile or not self._meanwhile[id].is_over:
                span = min(ended or until, until) - began
                spans[id] = span if id in self._meanwhile else max(0.0, span)
                begins.append(began)
        together = sum(max(0.0, span) for span in spans.values())
        part = min(1.0, (until - min(begins)) / together) if together else 1.0
        return {id: span * per_second * part for id, span in spans.items()}

    def recent(self) -> list[CellProgress]:
        """Return how far the cells are that compute or have changed in the last seconds."""
        since = time.monotonic() - RECENT_SECONDS
        cells = [cell for id, cell in self._cells.items() if cell.ended is None or self._changed_at[id] > since]
        return [progress for cell in cells if (progress := CellProgress.of(cell)) is not None]

    def end(self) -> None:
        """Note that the cluster ends: what is not done is lost."""
        lost = {id: cell for id, cell in self._cells.items() if cell.ended is None}
        self._write([cell.model_copy(update={"lost": True, **self._charged(id)}) for id, cell in lost.items()])

    def _charged(self, id: str) -> dict[str, Any]:
        price = self._cost()
        return {} if price is None else {"cost": self._meanwhile[id].cost, "cost_unit": price.unit}

    def _write(self, cells: list[CellWork]) -> None:
        if not cells:
            return
        try:
            logs.append_cells(self._path, cells)
            self._fails = False
        except OSError as error:
            for cell in cells:
                self._cells.pop(cell.id, None)  # It is new again with the next look.
            if not self._fails:
                logger.warning("The work of cells cannot be stored (%s)", error)
            self._fails = True


class _Meanwhile:
    """Memory and traffic of all workers since a moment."""

    def __init__(self, columns: Columns) -> None:
        self._before = _received(columns)
        self.peaks: dict[str, int | None] = {}
        self.looked = self.cost = 0.0
        self.is_over = False
        self._workers: dict[str, dict[str, int]] = {}

    def look(self, columns: Columns) -> None:
        figures: dict[str, float | None] = {
            "n_workers": len(columns["workers"]),
            "n_threads": known_sum(columns.get("n_threads", ())),
        }
        received = _received(columns)
        if received:
            moved = sum(max(0, count - self._before.get(name, 0)) for name, count in received.items())
            figures["moved_bytes"] = moved
        self._raise(figures)
        self.look_at_memory(columns)

    def look_at_memory(self, columns: Columns) -> None:
        now = totals(columns)
        peaks = {"memory_peak_bytes": now["memory_bytes"], "vram_peak_bytes": now["vram_used_bytes"]}
        self._raise(peaks | {"spilled_peak_bytes": now["tier_disk_bytes"]})
        for figure, column in _OF_WORKERS.items():
            for name, value in zip(columns["workers"], columns.get(column, ()), strict=False):
                if value:
                    known = self._workers.setdefault(name, {})
                    known[figure] = max(value, known.get(figure, 0))

    def _raise(self, figures: Mapping[str, float | None]) -> None:
        for name, value in figures.items():
            if value is not None:
                self.peaks[name] = max(int(value), self.peaks.get(name) or 0)

    def workers(self) -> list[WorkerPeaks]:
        rows = sorted(self._workers.items(), key=lambda item: -item[1].get("memory_bytes", 0))[:MOST_WORKERS]
        return [WorkerPeaks(name=name, **peaks) for name, peaks in sorted(rows, key=lambda row: (len(row[0]), row[0]))]


def _received(columns: Columns) -> dict[str, int]:
    counts = zip(columns["workers"], columns.get("received_bytes", ()), strict=False)
    return {name: count for name, count in counts if count is not None}


def _cell(fields: dict[str, Any], meanwhile: _Meanwhile) -> CellWork:
    began, ended, n_threads = fields["began"], fields["ended"], meanwhile.peaks.get("n_threads")
    known: dict[str, Any] = {"began": _moment(began), "ended": None, "workers": meanwhile.workers()}
    if ended is not None:
        computed = sum(group["compute_seconds"] for group in fields["groups"])
        known["ended"] = _moment(ended)
        if n_threads is not None:
            known["waiting_seconds"] = round(max(0.0, n_threads * (ended - began) - computed), 3)
    return CellWork.model_validate({**fields, **meanwhile.peaks, **known})


def _moment(seconds: float) -> str:
    return stamped(datetime.fromtimestamp(seconds, UTC))
