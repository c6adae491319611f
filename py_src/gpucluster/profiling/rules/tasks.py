"""Rules about tasks: number, duration, threads and failures."""

from __future__ import annotations

import re
import statistics

from ...protocol.durations import seconds
from ...protocol.plain_text import counted
from ..model import Finding, ReportFigures, share

SHORT_SECONDS = 0.2  # Below this, starting a computation costs more than the computation itself.

TINY_SECONDS = 0.01  # Dask's scheduler spends about 1 ms on a task; it should compute ten times as long.
TINY_TASKS = 200  # Fewer tiny tasks are not a bottleneck.
TINY_PER_SECOND = 20.0  # With fewer per second the scheduler is idle, so the time goes elsewhere.
TINY_IDLE_SHARE = 0.5  # Tiny tasks cost little if the threads are busy for at least half of the time.

LARGE_PREFIX_SHARE = 0.5  # A kind of task that computes half of the time, but has fewer tasks than there are threads …
UNUSED_SHARE = 0.4  # … matters where at least this share of the threads' time was idle.

SKEW_RATIO = 2.5  # A worker (or task) holds the others up if it was busy this many times as long as the median …
SKEW_SHARE = 0.3  # … and for this share of the time, while the same share of the threads' time was idle.

OTHERS_SHARE = 0.25  # Other programs with this share of the cores make everything slow.

LOADING_SHARE = 0.5  # Reading is the bottleneck when it takes at least half of the computing time …
LOADING_SECONDS = 0.5  # … and at least this time …
LOADING_WALL_SHARE = 0.2  # … and, in sequence, this share of the whole time.
_LOADING = re.compile(
    r"read[-_ ]?(parquet|csv|json|orc|text|bytes|block|hdf|sql|table|image|file)"
    r"|from[-_]?(zarr|npy)|open[-_]|^load|imread"
)


def lost_workers(report: ReportFigures) -> Finding | None:
    """Any worker that ended without a request."""
    lost = [worker for worker in report.workers if worker.lost]
    if not lost:
        return None
    names = ", ".join(worker.name for worker in lost[:5]) + (" …" if len(lost) > 5 else "")
    return Finding(
        rule="worker_lost",
        title="Workers died",
        evidence=f"{counted(len(lost), 'worker')} ended during the run ({names}); their results were "
        "recomputed or lost.",
        advice="Most often the operating system or Dask's nanny killed them for using too much memory: see "
        "'%gpucluster logs', make partitions smaller, or give the workers more memory.",
    )


def others_slow(report: ReportFigures) -> bool:
    """Whether other programs kept ``OTHERS_SHARE`` of the machine's cores busy."""
    others, cores = report.others_cores, report.machine_cores
    return others is not None and bool(cores) and others >= OTHERS_SHARE * (cores or 0)


def busy_machine(report: ReportFigures) -> Finding | None:
    """Other programs took ``OTHERS_SHARE`` of the cores."""
    if not others_slow(report) or report.wall_seconds < SHORT_SECONDS:
        return None
    return Finding(
        rule="busy_machine",
        title="Other programs used the machine",
        evidence=f"Programs other than this cluster and notebook used {report.others_cores:.1f} of "
        f"{counted(report.machine_cores or 0, 'core')} on average, so all times here are longer than on a free "
        "machine.",
        advice="Profile again when the machine is free, or stop other notebooks and clusters first.",
    )


def failed_tasks(report: ReportFigures) -> Finding | None:
    if not report.n_failed_tasks:
        return None
    prefix, text = next(iter(report.failures.items()), ("", ""))
    example = f" The first: {prefix}: {text}" if text else ""
    return Finding(
        rule="failed",
        title="Tasks failed",
        evidence=f"{counted(report.n_failed_tasks, 'task')} of {report.n_tasks or 0:,} failed.{example}",
        advice="The results cover only what ran until then. Fix the error first.",
    )


def tiny_tasks(report: ReportFigures) -> Finding | None:
    """Tasks below ``TINY_SECONDS`` on average, ``TINY_TASKS`` and ``TINY_PER_SECOND`` or more, while threads idle."""
    mean, count = report.mean_task_seconds, report.n_tasks or 0
    if mean is None or mean >= TINY_SECONDS or count < TINY_TASKS:
        return None
    if count < TINY_PER_SECOND * report.wall_seconds or (report.idle_share or 0.0) < TINY_IDLE_SHARE:
        return None
    per_task = report.wall_seconds / count
    busy = report.scheduler_cpu_percent
    scheduler = f" The scheduler was busy {busy:.0f} % of a core." if busy is not None else ""
    return Finding(
        rule="tiny_tasks",
        title="Tasks are too small",
        evidence=f"{count:,} tasks computed {seconds(mean)} each on average, but one was done every "
        f"{seconds(per_task)}: most of the time went into handing them out.{scheduler}",
        advice="Make chunks or partitions larger, or do many items in one task, so that a task takes 100 ms or more.",
    )


def few_partitions(report: ReportFigures) -> Finding | None:
    """A kind of task that takes ``LARGE_PREFIX_SHARE`` of the computing, with fewer tasks than threads."""
    if not report.compute_seconds or not report.prefixes or report.wall_seconds < SHORT_SECONDS:
        return None
    if report.idle_share is None or report.idle_share < UNUSED_SHARE:
        return None
    # The first task that needs an import is long, whatever its partition.
    importing = report.worker_import_seconds
    large = max(report.prefixes, key=lambda prefix: prefix.compute_seconds)
    if large.n_tasks >= report.n_threads or large.compute_seconds < LARGE_PREFIX_SHARE * report.compute_seconds:
        return None
    if large.compute_seconds - importing < UNUSED_SHARE * report.wall_seconds:
        return None
    return Finding(
        rule="few_partitions",
        title="Too few, too large partitions",
        evidence=f"{counted(large.n_tasks, 'task')} of kind '{large.prefix}' computed "
        f"{share(large.compute_seconds / report.compute_seconds)} of all the computing time on {report.n_threads} "
        f"threads; workers were idle {share(report.idle_share)} of the time with tasks.",
        advice="Split the data into at least two partitions per thread (rechunk, repartition), so that all of them "
        "have something to do.",
    )


def skew(report: ReportFigures) -> Finding | None:
    """One worker, or one task, that is busy ``SKEW_RATIO`` times as long as the median one while others idle."""
    if report.idle_share is None or report.idle_share < SKEW_SHARE or report.wall_seconds < SHORT_SECONDS:
        return None
    floor = SKEW_SHARE * report.wall_seconds
    return _long_task(report, floor) or _busy_worker(report, floor)


def _long_task(report: ReportFigures, floor: float) -> Finding | None:
    for prefix in report.prefixes:
        if prefix.n_tasks < max(4, report.n_threads):
            continue
        rest = (prefix.compute_seconds - prefix.longest_seconds) / (prefix.n_tasks - 1)
        if prefix.longest_seconds - report.worker_import_seconds >= max(2 * SKEW_RATIO * rest, floor):
            return Finding(
                rule="skew",
                title="One task held the others up",
                evidence=f"The longest of {counted(prefix.n_tasks, 'task')} of kind '{prefix.prefix}' took "
                f"{seconds(prefix.longest_seconds)}, the others {seconds(rest)} on average.",
                advice="Its partition is probably much larger than the others, or its group has most of the rows: "
                "repartition, or split that group.",
            )
    return None


def _busy_worker(report: ReportFigures, floor: float) -> Finding | None:
    stayed = [worker for worker in report.workers if not worker.joined_later and not worker.lost]
    if len(stayed) < 2:
        return None
    busiest = max(stayed, key=lambda worker: worker.busy_seconds)
    # Workers that were importing could not take tasks, independent of the data.
    others = statistics.median(
        worker.busy_seconds + (worker.import_seconds or 0.0) for worker in stayed if worker is not busiest
    )
    if busiest.n_tasks < 2 or busiest.busy_seconds < max(SKEW_RATIO * others, floor):
        return None
    return Finding(
        rule="skew",
        title="One worker did most of the work",
        evidence=f"{busiest.title} computed {seconds(busiest.busy_seconds)}, the others {seconds(others)} in the "
        "middle.",
        advice="Split the data evenly (repartition, rechunk, client.rebalance()), and avoid tasks that depend on one "
        "large result of one worker.",
    )


def data_loading(report: ReportFigures) -> Finding | None:
    """Reading takes ``LOADING_SHARE`` of the computing, ``LOADING_WALL_SHARE`` of all time, and ``LOADING_SECONDS``."""
    if not report.compute_seconds:
        return None
    reading = [prefix for prefix in report.prefixes if _LOADING.search(prefix.prefix.lower())]
    took = sum(prefix.compute_seconds for prefix in reading) - report.worker_import_seconds
    floor = max(LOADING_SHARE * report.compute_seconds, LOADING_SECONDS, LOADING_WALL_SHARE * report.wall_seconds)
    if took < floor:
        return None
    names = ", ".join(f"'{prefix.prefix}'" for prefix in reading[:3])
    return Finding(
        rule="data_loading",
        title="Loading data dominates",
        evidence=f"Tasks that read data ({names}) took {share(took / report.compute_seconds)} of the computing time, "
        f"{seconds(took)}.",
        advice="Read only the columns and rows you need, prefer Parquet to CSV, read once and persist(), and keep the "
        "files on fast, local storage. On GPUs, read with cuDF (and GPUDirect Storage), and prefetch the next "
        "batch while one computes.",
    )


IMPORT_SHARE = 0.25  # Imports with at least this share of the time dominate the figures.


def imports(report: ReportFigures) -> Finding | None:
    """The cell, the scheduler or one of the workers imported modules for ``IMPORT_SHARE`` of the time."""
    floor = max(IMPORT_SHARE * report.wall_seconds, SHORT_SECONDS)
    here, there = report.notebook_import_seconds or 0.0, report.worker_import_seconds
    between = report.scheduler_import_seconds or 0.0
    evidence, advice = [], []
    if here >= floor:
        evidence.append(f"The cell itself imported modules for {_of(here, report)}.")
        advice.append("Put imports into a separate cell before this one: they run once.")
    if between >= floor:
        evidence.append(f"The scheduler imported modules for {_of(between, report)}, to read the graph of tasks.")
    if there >= floor:
        importing = [worker for worker in report.workers if (worker.import_seconds or 0.0) >= floor]
        names = ", ".join(worker.name for worker in importing[:5]) + (" …" if len(importing) > 5 else "")
        evidence.append(
            f"{counted(len(importing), 'worker')} of {len(report.workers)} ({names}) imported modules for up to "
            f"{_of(there, report)}, before tasks or in them."
        )
    if there >= floor or between >= floor:
        advice.append(
            "Scheduler and workers import what tasks need when they first meet it, and never again: run the cell again "
            "for measurements without that. Workers that start with it: preload=['MODULE'] when the cluster is created."
        )
    if not evidence:
        return None
    return Finding(
        rule="imports", title="Imports took much of the time", evidence=" ".join(evidence), advice=" ".join(advice)
    )


def _of(took: float, report: ReportFigures) -> str:
    return f"{seconds(took)} of {seconds(report.wall_seconds)} ({share(took / report.wall_seconds)})"
