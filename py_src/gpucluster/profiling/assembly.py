"""Compute the figures of a report from the recorders' data."""

from __future__ import annotations

from typing import Any

from ..protocol.telemetry import known_mean, known_sum
from .model import PrefixFigures, ReportFigures, TransferFigures
from .telemetry import TelemetryReadings
from .timeline import timeline_data
from .worker_figures import busy_cores, clipped, importing_seconds, thread_seconds, worker_figures

_NO_SCHEDULER = "The cluster's scheduler was gone at the end, so tasks, transfers and memory could not be read."
_NO_WORKERS = "{missing} of {known} workers reported no metrics (memory, transfers, spilling): {why}."
_OTHER_LOG = "Transfers of {count} workers were not measured: their transfer log was replaced during the run."
_TIERS = (
    "Spilled bytes of GPU workers are the most that lay in host memory and on disk beyond the beginning, as the "
    "telemetry saw it once a second; what moved there and back in between is not seen."
)
_NO_TIERS = "Spilled bytes of GPU workers were not measured: this cluster has no telemetry of gpucluster."
_OTHERS = "{count} clients were connected to the cluster; the work of all of them is counted."
_UNFINISHED = (
    "{count} tasks were not over at the end. To measure all of a computation, wait for it in the same cell, such as "
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
