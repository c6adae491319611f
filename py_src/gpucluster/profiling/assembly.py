"""Compute the figures of a report, of its workers and machines, and its timeline.

They come from the recorders, and from sums of the cluster's own telemetry while the cell runs: one sample a second.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from ..client.background import background_loop
from ..client.transport import telemetry_lines
from ..protocol.errors import GPUClusterError
from ..protocol.models import Telemetry
from ..protocol.telemetry import TelemetrySample, known_mean, known_sum
from ..registry.record import Folder
from .model import (
    PrefixFigures,
    ReportFigures,
    TimelineBlock,
    TimelineData,
    TimelineLine,
    TimelineTransfer,
    TransferFigures,
    WorkerFigures,
)
from .recorders.tasks import SENT_THREADS

PEAKS = ("device_index", "vram_used_bytes", "vram_total_bytes", "rmm_used_bytes", "rmm_pool_bytes",
         "gpu_power_limit_watts")  # fmt: skip
MEANS = ("gpu_utilization_percent", "gpu_power_watts")
_SPILLED = ("tier_host_bytes", "tier_disk_bytes", "cudf_spilled_bytes")
_LAST_SECONDS = 0.2


@dataclass
class WorkerTelemetry:
    """One worker's peaks and means."""

    peaks: dict[str, float] = field(default_factory=dict)
    sums: dict[str, tuple[float, int]] = field(default_factory=dict)
    spilled_first: float | None = None
    spilled_most: float | None = None

    def mean(self, name: str) -> float | None:
        total, count = self.sums.get(name, (0.0, 0))
        return total / count if count else None

    @property
    def spilled_growth(self) -> int | None:
        if self.spilled_first is None or self.spilled_most is None:
            return None
        return int(self.spilled_most - self.spilled_first)


class TelemetryReadings:
    """Sums over samples."""

    def __init__(self) -> None:
        self.workers: dict[str, WorkerTelemetry] = {}
        self.totals: list[tuple[float, float | None]] = []  # Time, and RMM used in the whole cluster.
        self.n_samples = 0
        self.others: list[float] = []  # Cores that other programs kept busy, by sample.
        self.machine_cores: int | None = None
        self.own_cores = 0.0  # Cores that this process kept busy.

    @property
    def others_cores(self) -> float | None:
        """Mean number of cores that programs other than the cluster and this process kept busy."""
        return max(0.0, sum(self.others) / len(self.others) - self.own_cores) if self.others else None

    def add(self, sample: TelemetrySample) -> None:
        self.n_samples += 1
        self.machine_cores = sample.host_cores
        if sample.host_others_cores is not None:
            self.others.append(sample.host_others_cores)
        columns = {name: sample.column(name) for name in (*PEAKS, *MEANS, *_SPILLED)}
        for place, name in enumerate(sample.workers):
            worker = self.workers.setdefault(name, WorkerTelemetry())
            measured = {
                column: value for column, values in columns.items() if (value := _number(values[place])) is not None
            }
            for peak in measured.keys() & PEAKS:
                worker.peaks[peak] = max(measured[peak], worker.peaks.get(peak, 0.0))
            for mean in measured.keys() & MEANS:
                total, count = worker.sums.get(mean, (0.0, 0))
                worker.sums[mean] = (total + measured[mean], count + 1)
            spilled = [measured[tier] for tier in _SPILLED if tier in measured]
            if spilled:
                worker.spilled_first = sum(spilled) if worker.spilled_first is None else worker.spilled_first
                worker.spilled_most = max(sum(spilled), worker.spilled_most or 0.0)
        used = [value for item in columns["rmm_used_bytes"] if (value := _number(item)) is not None]
        self.totals.append((datetime.fromisoformat(sample.at).timestamp(), sum(used) if used else None))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


class TelemetryListener:
    """Listens to one cluster's telemetry in the background."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._readings = TelemetryReadings()
        self._since = (time.perf_counter(), time.process_time())
        self._task: Future[None] = asyncio.run_coroutine_threadsafe(self._listen(), background_loop())

    async def _listen(self) -> None:
        with suppress(GPUClusterError):
            async for line in telemetry_lines(self._folder):
                with suppress(ValidationError, ValueError, IndexError):
                    self._readings.add(Telemetry.model_validate_json(line).sample)

    def stop(self) -> TelemetryReadings:
        wall, own = time.perf_counter() - self._since[0], time.process_time() - self._since[1]
        self._readings.own_cores = own / wall if wall > 0 else 0.0
        self._task.cancel()
        with suppress(BaseException):
            self._task.exception(_LAST_SECONDS)
        return self._readings


POINTS = 200
TRANSFERS = 400


def timeline_data(
    scheduler: dict[str, Any],
    workers: dict[str, dict[str, Any]],
    telemetry: TelemetryReadings | None,
    wall_seconds: float,
) -> TimelineData:
    begin = scheduler["begin"]
    names = {address: facts["name"] for address, facts in scheduler["workers"].items()}
    notes: list[str] = []
    lanes, blocks = _lanes_and_blocks(scheduler, begin, names)
    drawn, total = sum(block.n_tasks for block in blocks), scheduler["n_blocks"]
    if scheduler["n_lanes"] > len(lanes):
        notes.append(
            f"{len(lanes)} of {scheduler['n_lanes']} threads are drawn, chosen evenly from the busiest to the idlest "
            f"(at most {SENT_THREADS})."
        )
    if len(blocks) < drawn:
        notes.append(f"{drawn:,} of {total:,} tasks are drawn, short ones together, as {len(blocks):,} blocks.")
    transfers, count = _drawn_transfers(workers, begin, names)
    if count > len(transfers):
        notes.append(f"The {len(transfers)} largest of {count:,} transfers are drawn.")
    lines = _lines(workers, telemetry, begin, wall_seconds)
    return TimelineData(lanes=lanes, blocks=blocks, transfers=transfers, lines=lines, notes=notes)


def _lanes_and_blocks(
    scheduler: dict[str, Any], begin: float, names: dict[str, str]
) -> tuple[list[str], list[TimelineBlock]]:
    threads: dict[str, list[int]] = {}
    for worker, thread, *_ in scheduler["blocks"]:
        known = threads.setdefault(worker, [])
        if thread not in known:
            known.append(thread)
    names = {worker: names.get(worker, worker) for worker in threads}
    places: dict[tuple[str, int], int] = {}
    labels: list[str] = []
    for worker in sorted(threads, key=lambda worker: (len(names[worker]), names[worker])):
        for number, thread in enumerate(threads[worker], 1):
            places[worker, thread] = len(labels)
            name = names[worker]
            labels.append(f"{name} · {number}" if len(threads[worker]) > 1 else name)
    blocks = [
        TimelineBlock(
            lane=places[worker, thread],
            prefix=prefix,
            start_seconds=max(0.0, start - begin),
            stop_seconds=stop - begin,
            n_tasks=n_tasks,
            busy_seconds=busy,
        )
        for worker, thread, prefix, start, stop, n_tasks, busy in scheduler["blocks"]
    ]
    return labels, blocks


def _drawn_transfers(
    workers: dict[str, dict[str, Any]], begin: float, names: dict[str, str]
) -> tuple[list[TimelineTransfer], int]:
    found: list[TimelineTransfer] = []
    for address, worker in workers.items():
        for start, stop, size, source in worker["transfers"]:
            found.append(_transfer(start - begin, stop - begin, size, names.get(source, source), names[address]))
        for start, stop, size in worker["client_transfers"]:
            found.append(_transfer(start - begin, stop - begin, size, names[address], "notebook"))
    count = sum(worker["n_received"] or 0 for worker in workers.values())
    count += sum(len(worker["client_transfers"]) for worker in workers.values())
    found = [transfer for transfer in found if transfer.stop_seconds > 0]
    found.sort(key=lambda transfer: -transfer.n_bytes)
    return sorted(found[:TRANSFERS], key=lambda transfer: transfer.start_seconds), count


def _transfer(start: float, stop: float, size: int, source: str, target: str) -> TimelineTransfer:
    return TimelineTransfer(
        start_seconds=max(0.0, start), stop_seconds=stop, n_bytes=size, source=source, target=target
    )


def _lines(
    workers: dict[str, dict[str, Any]], telemetry: TelemetryReadings | None, begin: float, wall_seconds: float
) -> list[TimelineLine]:
    most = max((len(worker["readings"]["time"]) for worker in workers.values()), default=0)
    count = max(2, min(POINTS, most))
    grid = [place * wall_seconds / (count - 1) for place in range(count)]
    lines = []
    for name, figure, unit, total in (
        ("host memory", "memory", "bytes", True),
        ("VRAM", "vram_used", "bytes", True),
        ("CPU", "cpu", "percent", False),
        ("GPU", "gpu_utilization", "percent", False),
    ):
        values = _over_time(workers, figure, [begin + seconds for seconds in grid], total)
        if any(value is not None for value in values):
            lines.append(TimelineLine(name=name, unit=unit, seconds=grid, values=values))
    if telemetry is not None:
        rmm = [(moment - begin, used) for moment, used in telemetry.totals if used is not None]
        if rmm:
            seconds, used = zip(*rmm, strict=True)
            lines.append(TimelineLine(name="RMM used", unit="bytes", seconds=list(seconds), values=list(used)))
    return lines


def _over_time(
    workers: dict[str, dict[str, Any]], figure: str, moments: list[float], total: bool
) -> list[float | None]:
    """Return the sum or the mean of the workers' newest reading at each moment."""
    sums = [0.0] * len(moments)
    counts = [0] * len(moments)
    for worker in workers.values():
        times, values = worker["readings"]["time"], worker["readings"].get(figure)
        if not values or not times:
            continue
        for number, moment in enumerate(moments):
            place = bisect_right(times, moment) - 1
            if place < 0:
                continue
            # Utilization is that of the time before its reading.
            value = values[place] if total else values[min(place + 1, len(values) - 1)]
            if value is not None:
                sums[number] += value
                counts[number] += 1
    return [(value if total else value / count) if count else None for value, count in zip(sums, counts, strict=True)]


def weighted_mean(moments: Iterable[float], values: Iterable[float | None]) -> float | None:
    """Return the mean of readings, weighted by the time since the previous one."""
    times, known = list(moments), list(values)
    total = weight = 0.0
    for (before, moment), value in zip(pairwise(times), known[1:], strict=False):
        if value is not None:
            total += value * (moment - before)
            weight += moment - before
    return total / weight if weight > 0 else None


def clipped(value: float) -> float:
    """Return a share between 0 and 1: clocks differ a little."""
    return min(1.0, max(0.0, value))


def most(*values: float | None) -> int | None:
    """Return the largest measured value as a whole number; ``None`` if there is none."""
    return max((int(value) for value in values if value is not None), default=None)


_ROUNDING = 1.0001  # Telemetry has five significant digits.


def worker_figures(
    facts: dict[str, Any], found: dict[str, Any] | None, telemetry: TelemetryReadings | None, span: tuple[float, float],
    submitted: float,
) -> WorkerFigures:  # fmt: skip
    """Return the figures of one worker.

    ``facts`` is from the scheduler's recorder, ``found`` from the worker's own; ``span`` is start and end of the
    measurement by the scheduler's clock, ``submitted`` the share of it with submitted tasks.
    """
    seconds = submitted * thread_seconds(facts, *span)
    busy = facts["compute_seconds"] + importing_seconds(facts, found)
    live = telemetry.workers.get(facts["name"]) if telemetry else None
    figures: dict[str, Any] = {
        "name": facts["name"],
        "n_threads": facts["n_threads"],
        "n_tasks": facts["n_tasks"],
        "busy_seconds": facts["compute_seconds"],
        "idle_share": clipped(1 - busy / seconds) if seconds > 0 else None,
        "joined_later": facts["joined_later"],
        "lost": facts["left"] is not None and facts["expected"] is not True,
    }
    if live is not None:
        figures |= _of_telemetry(live)
    if found is not None:
        figures |= _of_worker(found, live)
    return WorkerFigures(**figures)


def _of_telemetry(live: WorkerTelemetry) -> dict[str, Any]:
    return {
        "device_index": most(live.peaks.get("device_index")),
        "peak_vram_bytes": most(live.peaks.get("vram_used_bytes")),
        "vram_total_bytes": most(live.peaks.get("vram_total_bytes")),
        "peak_rmm_bytes": most(live.peaks.get("rmm_used_bytes")),
        "peak_rmm_pool_bytes": most(live.peaks.get("rmm_pool_bytes")),
        "mean_gpu_utilization_percent": live.mean("gpu_utilization_percent"),
        "mean_gpu_power_watts": live.mean("gpu_power_watts"),
        "gpu_power_limit_watts": live.peaks.get("gpu_power_limit_watts"),
    }


def _of_worker(found: dict[str, Any], live: WorkerTelemetry | None) -> dict[str, Any]:
    readings = found["readings"]
    peaks = live.peaks if live is not None else {}
    figures: dict[str, Any] = {
        "peak_memory_bytes": most(*readings.get("memory", ())),
        "memory_limit_bytes": found["memory_limit_bytes"] or None,
        "mean_cpu_percent": weighted_mean(readings["time"], readings.get("cpu", ())),
        "sent_bytes": None if found["sent_bytes"] is None else found["sent_bytes"] + (found["shuffled_bytes"] or 0),
        "received_bytes": found["received_bytes"],
        "import_seconds": found["import_seconds"],
        "n_readings": found["n_readings"],
        "spilled_bytes": int(found["written_bytes"]) if found["counts_spilling"] else live and live.spilled_growth,
    }
    # Both read the same device; the monitor twice a second, the telemetry also before and after the worker's life.
    exact, rounded = most(*readings.get("vram_used", ())), most(peaks.get("vram_used_bytes"))
    vram = most(exact, rounded if exact is None or (rounded or 0) > exact * _ROUNDING else None)
    if vram is not None:
        figures["peak_vram_bytes"] = vram
        figures["vram_total_bytes"] = found["vram_total_bytes"] or most(peaks.get("vram_total_bytes"))
    busy = weighted_mean(readings["time"], readings.get("gpu_utilization", ()))
    if busy is not None:
        figures["mean_gpu_utilization_percent"] = busy
    used = [item.get("rmm-used") or None for item in found["rmm"]] + [peaks.get("rmm_used_bytes")]
    pool = [item.get("rmm-total") or None for item in found["rmm"]] + [peaks.get("rmm_pool_bytes")]
    return figures | {"peak_rmm_bytes": most(*used), "peak_rmm_pool_bytes": most(*pool)}


def thread_seconds(facts: dict[str, Any], begin: float, end: float) -> float:
    """Return the lifetime of a worker times its threads."""
    left = end if facts["left"] is None else min(facts["left"], end)
    seconds: float = max(0.0, left - max(facts["joined"], begin)) * facts["n_threads"]
    return seconds


def importing_seconds(facts: dict[str, Any], found: dict[str, Any] | None) -> float:
    """Return the time for which all threads of a worker waited for imports of the next task."""
    seconds: float = found["import_seconds_between_tasks"] * facts["n_threads"] if found is not None else 0.0
    return seconds


def busy_cores(report: ReportFigures, workers: dict[str, dict[str, Any]]) -> float | None:
    """Return the busy share of the cores on the least busy machine.

    It is the larger of two figures: the use by all processes of the machine, and the workers' use of their allowed
    cores (a container may have fewer than the machine) while there were tasks.
    """
    machines: dict[str, list[dict[str, Any]]] = {}
    for found in workers.values():
        machines.setdefault(found["machine"], []).append(found)
    return min((_of_machine(there, report.submitted_seconds or 0.0) for there in machines.values()), default=None)


def _of_machine(there: list[dict[str, Any]], submitted: float) -> float:
    computed = sum(found["cpu_seconds"] for found in there)
    of_own_cores = computed / there[0]["n_cores"] / submitted if submitted else 0.0
    return clipped(max(of_own_cores, *[found["machine_busy_share"] or 0.0 for found in there]))


_NO_SCHEDULER = "The cluster's scheduler was gone at the end, so tasks, transfers and memory could not be read."
_NO_WORKERS = "{missing} of {known} workers reported no metrics (memory, transfers, spilling): {why}."
_OTHER_LOG = "Transfers of {count} workers were not measured: their transfer log was replaced during the run."
_TIERS = (
    "Spilled bytes of GPU workers are the maximum in host memory and on disk above the start, sampled once a second; "
    "what moved there and back between samples is not counted."
)
_NO_TIERS = "Spilled bytes of GPU workers were not measured: this cluster has no telemetry of gpucluster."
_OTHERS = "{count} clients were connected to the cluster; the work of all of them is counted."
_UNFINISHED = (
    "{count} tasks were unfinished at the end. To measure all of a computation, wait for it in the same cell, such as "
    "with distributed.wait(x)."
)


def assemble(
    report: ReportFigures,
    scheduler: dict[str, Any] | None,
    workers: dict[str, dict[str, Any]],
    telemetry: TelemetryReadings | None,
) -> None:
    """Fill a report that has its wall time from ``Recording.finish`` and the cluster's telemetry."""
    report.n_telemetry_samples = telemetry.n_samples if telemetry else 0
    if telemetry is not None:
        report.others_cores, report.machine_cores = telemetry.others_cores, telemetry.machine_cores
    if scheduler is None:
        report.notes.append(_NO_SCHEDULER)
        return
    end = scheduler["begin"] + report.wall_seconds
    _tasks(report, scheduler)
    report.submitted_seconds = min(scheduler["submitted_seconds"], report.wall_seconds)
    submitted = report.submitted_seconds / report.wall_seconds if report.wall_seconds else 0.0
    known = scheduler["workers"]
    report.workers = [
        worker_figures(facts, workers.get(address), telemetry, (scheduler["begin"], end), submitted)
        for address, facts in known.items()
    ]
    report.workers.sort(key=lambda worker: (len(worker.name), worker.name))
    present = [facts for facts in known.values() if facts["left"] is None]
    report.n_workers = len(present)
    report.n_threads = sum(facts["n_threads"] for facts in present)
    report.n_workers_joined = sum(facts["joined_later"] for facts in known.values())
    report.n_workers_lost = sum(worker.lost for worker in report.workers)
    report.scheduler_import_seconds = scheduler["import_seconds"]
    report.n_restarts = scheduler["restarts"]
    seconds = submitted * sum(thread_seconds(facts, scheduler["begin"], end) for facts in known.values())
    if seconds > 0:
        importing = sum(importing_seconds(facts, workers.get(address)) for address, facts in known.items())
        report.idle_share = clipped(1 - ((report.compute_seconds or 0.0) + importing) / seconds)
    report.scheduler_cpu_percent = known_mean(scheduler["scheduler_cpu_percent"])
    report.mean_cpu_percent = known_mean(worker.mean_cpu_percent for worker in report.workers)
    report.mean_gpu_utilization_percent = known_mean(worker.mean_gpu_utilization_percent for worker in report.workers)
    report.cores_busy_share = busy_cores(report, workers)
    report.n_readings = min((found["n_readings"] for found in workers.values()), default=0)
    report.spilled_bytes = known_sum(worker.spilled_bytes for worker in report.workers)
    report.transfers = _transfers(scheduler, workers)
    report.timeline_data = timeline_data(scheduler, workers, telemetry, report.wall_seconds)
    _add_notes(report, scheduler, workers)


def _tasks(report: ReportFigures, scheduler: dict[str, Any]) -> None:
    report.prefixes = sorted(
        (PrefixFigures(prefix=prefix, **sums) for prefix, sums in scheduler["prefixes"].items()),
        key=lambda prefix: -prefix.total_seconds,
    )
    report.n_tasks = sum(prefix.n_tasks for prefix in report.prefixes)
    report.n_failed_tasks = sum(prefix.n_failed for prefix in report.prefixes)
    report.n_unfinished_tasks = scheduler["unfinished"]
    report.compute_seconds = sum(prefix.compute_seconds for prefix in report.prefixes)
    report.transfer_seconds = sum(prefix.transfer_seconds for prefix in report.prefixes)
    report.disk_seconds = sum(prefix.disk_seconds for prefix in report.prefixes)
    report.active_seconds = min(scheduler["active_seconds"], report.wall_seconds)
    report.failures = {prefix: text for prefix, text in scheduler["failures"].items() if text}


def _transfers(scheduler: dict[str, Any], workers: dict[str, dict[str, Any]]) -> TransferFigures:
    if not workers:
        return TransferFigures(from_clients_bytes=scheduler["sent_bytes"])
    shuffled = known_sum(found["shuffled_bytes"] for found in workers.values())
    sent = known_sum(found["sent_bytes"] for found in workers.values())
    return TransferFigures(
        between_workers_bytes=None if sent is None else sent + (shuffled or 0),
        shuffled_bytes=shuffled,
        n_between_workers=known_sum(found["n_received"] for found in workers.values()),
        to_clients_bytes=known_sum(found["client_bytes"] for found in workers.values()),
        from_clients_bytes=scheduler["sent_bytes"],
    )


def _add_notes(report: ReportFigures, scheduler: dict[str, Any], workers: dict[str, dict[str, Any]]) -> None:
    known = scheduler["workers"]
    missing = [facts for address, facts in known.items() if address not in workers]
    if missing:
        gone = sum(facts["left"] is not None for facts in missing)
        why = "they had left" if gone == len(missing) else "they did not respond, or had left"
        report.notes.append(_NO_WORKERS.format(missing=len(missing), known=len(known), why=why))
    replaced = sum(found["sent_bytes"] is None or found["received_bytes"] is None for found in workers.values())
    if replaced:
        report.notes.append(_OTHER_LOG.format(count=replaced))
    if any(not found["counts_spilling"] for found in workers.values()):
        report.notes.append(_TIERS if report.spilled_bytes is not None else _NO_TIERS)
    if scheduler["other_clients"] > 1:
        report.notes.append(_OTHERS.format(count=scheduler["other_clients"]))
    if scheduler["unfinished"]:
        report.notes.append(_UNFINISHED.format(count=scheduler["unfinished"]))
