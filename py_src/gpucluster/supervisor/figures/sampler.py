"""One sampler per cluster: reads what the workers' heartbeats have brought to the scheduler, here or elsewhere.

Workers are not queried. Without listeners, only the history of the last ten minutes is fed. A sample is encoded once
for all listeners.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from array import array
from bisect import bisect_right
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pydantic_core import to_json

from ...backends.scheduler.view import Columns, SchedulerView
from ...protocol.capacity import Machine
from ...protocol.models import CellsChanged, Cost
from ...protocol.telemetry import TOTALS, totals
from ...registry.record import now
from ...site.model import Costs
from ...telemetry.plugin import PLUGIN, pickled_plugin
from ..process import warmup
from .cells import CellLog

logger = logging.getLogger("gpucluster.supervisor")

INTERVAL_SECONDS = 1.0
MEAN_SECONDS = 5.0  # Long enough to hide that workers report their load later than the machine does.
LONGEST_GAP_SECONDS = 20.0  # A longer gap between samples, without listeners, is not averaged.
SOON_SECONDS = 0.1  # From a cell's first tasks to the first report of it: others of its tasks come meanwhile.
REST_AFTER_SECONDS = 30.0  # How long after the cluster was last watched or used workers send fewer heartbeats.


class Sampler:
    """Samples a cluster from start to end. `machine`: that all workers share. `cells`: where their work is kept."""

    def __init__(
        self, scheduler: SchedulerView, cluster_id: str, machine: Machine | None = None, cells: CellLog | None = None
    ) -> None:
        self._cells = cells
        self._computes = False
        self._scheduler = scheduler
        self._id = cluster_id
        self.history = History(cluster_id)
        self._shared: dict[str, int] = {}
        if machine is not None:
            self._shared = {"host_memory_bytes": machine.memory_bytes, "host_cores": machine.cores}
        self._others = None if machine is None else OtherLoad(machine.cores)
        self.columns: Columns = {"workers": ()}  # What was read last.
        self._line = b""
        self._number = 0
        self._cells_line = b""
        self._cells_number = 0
        self._looking: asyncio.Task[None] | None = None
        self._taken = float("-inf")
        self._listeners = 0
        self._used_at = time.monotonic()
        self._rests = False
        self._due = asyncio.Event()
        self._waking: asyncio.Task[None] | None = None
        self._changed = asyncio.Condition()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, *, devices: bool) -> None:
        """Start to sample, and let the workers send our figures; needs a running event loop."""
        self._scheduler.watch_cells(self._cell_began)
        # In the background: a cluster is ready to work before its workers have answered this.
        self._tasks = [asyncio.create_task(self._register_plugin(devices)), asyncio.create_task(self._run())]

    def stop(self) -> None:
        while self._tasks:
            self._tasks.pop().cancel()
        if self._cells is not None:
            with suppress(Exception):  # The scheduler may be gone.
                self._look_at_cells(self.columns)
            self._cells.end()
        for task in (self._waking, self._looking):
            if task is not None:
                task.cancel()

    def note_use(self, *, used: bool) -> None:
        """Sample, and let workers report, more often while the cluster is watched or used."""
        now = time.monotonic()
        if used or self._listeners:
            self._used_at = now
        rests = now - self._used_at > REST_AFTER_SECONDS
        if rests == self._rests:
            return
        self._rests = rests
        warmup.rest(rests)
        if not rests:
            self._waking = asyncio.create_task(self._wake())

    async def _wake(self) -> None:
        try:
            await self._scheduler.ask_for_heartbeats()
        finally:
            self._due.set()

    async def listen(self, *, cells: bool = False) -> AsyncGenerator[bytes, None]:
        """Yield samples as lines of JSON, each a whole event, beginning with one at once.

        A slow listener misses some; it always gets the newest next. `cells`: also how far cells are, at each change.
        """
        self._listeners += 1
        self.note_use(used=True)
        try:
            line = self.newest()
            seen, seen_cells = self._number, 0 if cells else self._cells_number
            yield line
            while True:
                async with self._changed:
                    await self._changed.wait_for(
                        lambda: self._number != seen or (cells and self._cells_number != seen_cells)  # noqa: B023
                    )
                    lines = [self._line] if self._number != seen else []
                    if cells and self._cells_number != seen_cells:
                        lines.append(self._cells_line)
                    seen, seen_cells = self._number, self._cells_number
                for line in lines:
                    yield line
        finally:
            self._listeners -= 1

    def newest(self) -> bytes:
        """Return a sample as a line of JSON without being a listener, so workers need not report more often."""
        if time.monotonic() - self._taken > self.interval:
            self._encode(self.read())
        return self._line

    @property
    def interval(self) -> float:
        """Seconds between samples: no less than between the heartbeats of one worker."""
        return max(INTERVAL_SECONDS, self._scheduler.heartbeat_seconds)

    def read(self) -> Columns:
        self.columns = by_machine(self._scheduler.columns())
        return self.columns

    def encoded(self, columns: Columns) -> bytes:
        """Return the event with a reading, without the model, which takes ten times as long; a test compares both."""
        tasks, progress = self._scheduler.tasks()
        sample: dict[str, Any] = {
            "id": self._id,
            "at": now(),
            "workers": columns["workers"],
            **compact(columns),
            **self._shared,
            **({} if self._others is None else self._others.read(columns)),
            "tasks": tasks,
            "progress": progress,
        }
        return b'{"kind":"telemetry","sample":' + to_json(sample, inf_nan_mode="null") + b"}\n"

    def _encode(self, columns: Columns) -> None:
        self._line = self.encoded(columns)
        self._number += 1
        self._taken = time.monotonic()

    def _look_at_cells(self, columns: Columns) -> None:
        self._computes = False
        if self._cells is None:
            return
        if told := self._scheduler.cells():
            self._computes = self._cells.add(told, columns)
        if recent := self._cells.recent():
            line = CellsChanged(id=self._id, cells=recent).model_dump_json(exclude_none=True).encode() + b"\n"
            if line != self._cells_line:
                self._cells_line = line
                self._cells_number += 1

    def _cell_began(self) -> None:
        if self._listeners and self._looking is None:
            self._looking = asyncio.create_task(self._look_soon())

    async def _look_soon(self) -> None:
        try:
            await asyncio.sleep(SOON_SECONDS)
            self._look_at_cells(self.columns)
            async with self._changed:
                self._changed.notify_all()
        except Exception:
            logger.exception("The work of cells could not be read")
        finally:
            self._looking = None

    async def _register_plugin(self, devices: bool) -> None:
        try:
            await self._scheduler.add_worker_plugin(PLUGIN, pickled_plugin(devices=devices))
        except Exception as error:
            # A worker may have left meanwhile. Those that come later still get the plugin.
            logger.warning("Some workers cannot report all metrics (%s: %s)", type(error).__name__, error)

    async def _run(self) -> None:
        while True:
            try:
                columns = self.read()
                self.history.add(columns)
                self._look_at_cells(columns)
                if self._listeners:
                    self._encode(columns)
                    async with self._changed:
                        self._changed.notify_all()
            except Exception:
                logger.exception("A sample could not be taken")
                await asyncio.sleep(10 * INTERVAL_SECONDS)
            if self._computes:
                # Between two samples as well, so that a crash loses less than a second.
                await self._wait(self.interval / 2)
                with suppress(Exception):  # The next sample says why.
                    self._look_at_cells(self.columns)
                await self._wait(self.interval / 2)
            else:
                await self._wait(self.interval)
            self._due.clear()

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._due.wait()


class OtherLoad:
    """How many cores of this machine programs outside the cluster keep busy, as a mean of the last seconds.

    `cores`: that the cluster may use. If the machine has more, its total load says nothing about these cores.
    """

    def __init__(self, cores: int) -> None:
        import psutil

        self._psutil = psutil
        self._is_whole = psutil.cpu_count() == cores
        self._cores = cores
        self._last = (time.monotonic(), self._busy(), time.process_time())
        self._mean: float | None = None

    def read(self, columns: Columns) -> dict[str, float]:
        """Return the field of a sample; nothing while unknown."""
        before, now = self._last, (time.monotonic(), self._busy(), time.process_time())
        seconds = now[0] - before[0]
        if seconds > LONGEST_GAP_SECONDS:
            self._last, self._mean = now, None
            return {}
        if not self._is_whole or seconds < MEAN_SECONDS / 10:
            return {} if self._mean is None else {"host_others_cores": round(self._mean, 1)}
        self._last = now
        own = sum(percent or 0.0 for percent in columns.get("cpu_percent", ())) / 100
        others = (now[1] - before[1] - (now[2] - before[2])) / seconds - own
        others = min(self._cores, max(0.0, others))
        weight = min(1.0, seconds / MEAN_SECONDS)
        self._mean = others if self._mean is None else (1 - weight) * self._mean + weight * others
        return {"host_others_cores": round(self._mean, 1)}

    def _busy(self) -> float:
        times = self._psutil.cpu_times()
        # Guests' time is part of the users' time.
        names = ("user", "nice", "system", "irq", "softirq")
        return float(sum(getattr(times, name, 0.0) for name in names))


def by_machine(columns: Columns) -> Columns:
    """Return the columns with the workers of each machine together, otherwise in the same order."""
    hosts = columns.get("host", ())
    places = {host: place for place, host in enumerate(dict.fromkeys(hosts))}
    if len(places) < 2:
        return columns
    order = sorted(range(len(hosts)), key=lambda row: places[hosts[row]])
    if order == [*range(len(hosts))]:
        return columns
    return {name: tuple(map(values.__getitem__, order)) if values else values for name, values in columns.items()}


def compact(columns: Columns) -> dict[str, Any]:
    """Return the columns in wire form: without unmeasured ones, and a single value where all workers have the same."""
    message: dict[str, Any] = {}
    for name, values in columns.items():
        if not values:
            continue
        first = values[0]
        # The last one is compared first: most columns differ in it already.
        if name != "workers" and values[-1] == first and values.count(first) == len(values):
            if first is not None:
                message[name] = first
        else:
            message[name] = list(values)  # It is written faster than a tuple.
    return message


class CostMeter:
    """Adds up what connected workers cost, on a monotonic clock."""

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self._since = time.monotonic()
        self._cost = Cost(unit=costs.unit, amount=0.0, per_hour=0.0, at=now())

    def note(self, *, gpus: int, cores: int, nodes: int) -> Cost:
        """Note what it has now; returns the same object as long as the costs stay the same."""
        return self._at(self._costs.per_hour(gpus=gpus, cores=cores, nodes=nodes))

    def end(self) -> Cost:
        return self._at(0.0)

    def _at(self, per_hour: float) -> Cost:
        if per_hour != self._cost.per_hour:
            clock = time.monotonic()
            amount = self._cost.amount + self._cost.per_hour * (clock - self._since) / 3600
            self._since = clock
            self._cost = Cost(unit=self._cost.unit, amount=amount, per_hour=per_hour, at=now())
        return self._cost


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
            known = {name: value for name, value in zip(names, values, strict=False) if value is not None}
            series.append(moment, known)
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
