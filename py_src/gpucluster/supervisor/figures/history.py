"""The last ten minutes of a cluster, for a view that has just been opened."""

from __future__ import annotations

import math
import time
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic_core import to_json

from ...backends.scheduler.view import Columns
from ...protocol.telemetry import TOTALS, totals
from ...registry.record import now

GAP = math.nan


class Series:
    """Several figures over one time scale."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.times = array("d")
        self.values: dict[str, array[float]] = {name: array("d") for name in names}

    def __len__(self) -> int:
        return len(self.times)

    def append(self, moment: float, values: Mapping[str, float | None]) -> None:
        """Add a moment. A new figure has gaps before; a missing one has a gap now."""
        for name in values.keys() - self.values.keys():
            self.values[name] = array("d", [GAP]) * len(self.times)
        self.times.append(moment)
        for name, column in self.values.items():
            value = values.get(name)
            column.append(GAP if value is None else value)

    def forget(self, before: float, most: int) -> None:
        """Drop moments up to ``before``, and every other one until at most ``most`` are left."""
        old = bisect_right(self.times, before)
        if old:
            del self.times[:old]
            for column in self.values.values():
                del column[:old]
        while len(self.times) > most:
            # The newest one stays.
            first = (len(self.times) - 1) % 2
            self.times = self.times[first::2]
            for name, column in self.values.items():
                self.values[name] = column[first::2]


def as_list(column: Sequence[float], *, digits: int | None) -> list[float | int | None]:
    """Return a column with ``None`` for gaps, rounded; to whole numbers when ``digits`` is ``None``."""
    return [None if math.isnan(value) else round(value, digits) for value in column]


SECONDS = 600
MOST_TOTALS = 600
MOST_WORKER_POINTS = 20_000  # Workers times points: with many workers each has fewer points, further apart.
FEWEST_POINTS, MOST_POINTS = 20, 600


_WORKERS = ("cpu_percent", "memory_bytes", "gpu_utilization_percent", "vram_used_bytes")
_CLOCK_SECONDS = 0.001  # By so much a timer may be early.
_PERCENTS = {"cpu_percent", "gpu_utilization_percent"}


def points_per_worker(n_workers: int) -> int:
    return min(MOST_POINTS, max(FEWEST_POINTS, MOST_WORKER_POINTS // max(1, n_workers)))


class History:
    """Keeps what the sampler reads."""

    def __init__(self, cluster_id: str) -> None:
        self._id = cluster_id
        self._at = now()
        self._totals = Series(("n_workers", *TOTALS))
        self._workers = {name: Series() for name in _WORKERS}

    def add(self, columns: Columns, moment: float | None = None) -> None:
        """Keep one reading. `moment`: its time on a monotonic clock, in seconds; default: now."""
        moment = time.monotonic() if moment is None else moment
        self._at = now()
        self._totals.append(moment, {"n_workers": len(columns["workers"]), **totals(columns)})
        self._totals.forget(moment - SECONDS, MOST_TOTALS)
        names = columns["workers"]
        points = points_per_worker(len(self._workers["cpu_percent"].values.keys() | set(names)))
        times = self._workers["cpu_percent"].times
        if times and moment - times[-1] < SECONDS / points - _CLOCK_SECONDS:
            return
        for figure, series in self._workers.items():
            values = columns.get(figure, ())
            series.append(
                moment, {name: value for name, value in zip(names, values, strict=False) if value is not None}
            )
            series.forget(moment - SECONDS, points)
            for name in [name for name, column in series.values.items() if all(map(math.isnan, column))]:
                del series.values[name]

    def encoded(self) -> bytes:
        figures, workers = self._totals, self._workers
        newest = figures.times[-1] if figures.times else 0.0
        message: dict[str, Any] = {
            "id": self._id,
            "at": self._at,
            "seconds": [round(moment - newest, 1) for moment in figures.times],
            **{name: as_list(column, digits=_digits(name)) for name, column in figures.values.items()},
            "worker_seconds": [round(moment - newest, 1) for moment in workers["cpu_percent"].times],
            "workers": self._by_worker(),
        }
        return to_json(message, inf_nan_mode="null")

    def _by_worker(self) -> dict[str, dict[str, Any]]:
        names = sorted({name for series in self._workers.values() for name in series.values})
        length = len(self._workers["cpu_percent"])
        found: dict[str, dict[str, Any]] = {name: {} for name in names}
        for figure, series in self._workers.items():
            always = figure in {"cpu_percent", "memory_bytes"}
            for name, worker in found.items():
                if (column := series.values.get(name)) is not None:
                    worker[figure] = as_list(column, digits=_digits(figure))
                elif always:
                    worker[figure] = [None] * length
        return found


def _digits(figure: str) -> int | None:
    return 1 if figure in _PERCENTS else None
