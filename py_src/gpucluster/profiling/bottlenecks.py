"""Find bottlenecks: each rule looks for one in a report, and says what shows it and what to try.

Rules are about tasks (number, duration, threads, failures), GPUs, memory, and bytes that move between workers, to the
notebook and from it.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from typing import TypeAlias

from ..protocol.durations import seconds
from ..protocol.plain_text import counted
from ..protocol.sizes import MEBIBYTE, format_size
from .model import Finding, ReportFigures, WorkerFigures, share

Rule: TypeAlias = Callable[[ReportFigures], Finding | None]

IDLE_SHARE = 0.5  # Workers idle for more of the time are underused.
BUSY_CORES_SHARE = 0.8  # Cores busier than this have no room for more workers.
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
        f"{seconds(per_task)}: most of the time went into scheduling.{scheduler}",
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


LOW_UTILIZATION_PERCENT = 50.0  # Below this mean the GPUs wait although tasks run …
BUSY_SHARE = 0.5  # … on threads that are busy for at least this share of the time.
HIGH_UTILIZATION_PERCENT = 70.0  # A kernel ran nearly always …
LOW_POWER_SHARE = 0.4  # … but drew less than this share of the power limit: the kernels used little of the GPU.
_SECONDS = 2.0


def on_gpu(report: ReportFigures) -> list[WorkerFigures]:
    return [worker for worker in report.workers if worker.vram_total_bytes]


def gpu_waits(report: ReportFigures) -> Finding | None:
    """GPUs below ``LOW_UTILIZATION_PERCENT`` while the workers' threads are busy."""
    mean, submitted = report.mean_gpu_utilization_percent, report.submitted_seconds
    if mean is None or not submitted or submitted < _SECONDS:
        return None
    # Without the time that had no tasks.
    busy = min(100.0, mean * report.wall_seconds / submitted)
    if busy >= LOW_UTILIZATION_PERCENT or report.idle_share is None or 1 - report.idle_share < BUSY_SHARE:
        return None
    return Finding(
        rule="gpu_waits",
        title="The GPUs wait",
        evidence=f"While there were tasks, a kernel ran on the GPUs {busy:.0f} % of the time, and the workers' threads "
        f"were busy {share(1 - report.idle_share)} of it.",
        advice="The tasks spend their time elsewhere: on the CPU (numpy, pandas, Python loops), on loading, or on "
        "copies over PCIe. Keep data on the GPU (cuDF, CuPy), read with cuDF or DALI, and prefetch.",
    )


def busy_gpu_at_low_power(report: ReportFigures) -> Finding | None:
    """GPUs above ``HIGH_UTILIZATION_PERCENT`` that draw less than ``LOW_POWER_SHARE`` of their power limit."""
    found = [
        (worker, worker.mean_gpu_power_watts / worker.gpu_power_limit_watts)
        for worker in on_gpu(report)
        if worker.mean_gpu_power_watts
        and worker.gpu_power_limit_watts
        and (worker.mean_gpu_utilization_percent or 0) >= HIGH_UTILIZATION_PERCENT
    ]
    low = [(worker, power) for worker, power in found if power < LOW_POWER_SHARE]
    if not low or report.wall_seconds < _SECONDS:
        return None
    worker, power = min(low, key=lambda item: item[1])
    return Finding(
        rule="small_kernels",
        title="The GPUs are busy but underused",
        evidence=f"{len(low)} of {len(on_gpu(report))} GPUs ran kernels nearly all the time, but at low power: "
        f"{worker.title} {worker.mean_gpu_utilization_percent:.0f} % of the time with {share(power)} of its "
        "power limit.",
        advice="Utilization shows that a kernel ran, not that it filled the GPU. Use larger partitions or batches, "
        "float32 where it suffices, and fewer, larger operations. Nsight Compute shows a kernel's occupancy.",
    )


SPILLED_BYTES = 64 * MEBIBYTE  # Less is written quickly.
PRESSURE_SHARE = 0.8  # Above this share of its limit, a Dask worker pauses by default.
FREE_SHARE = 0.1  # An allocation failed although at least this share of GPU memory was always free.
_EXHAUSTED = re.compile(r"out[_ ]?of[_ ]?memory|MemoryError|bad_alloc|cudaErrorMemoryAllocation", re.IGNORECASE)


def spilling(report: ReportFigures) -> Finding | None:
    """``SPILLED_BYTES`` or more went to host memory or disk to make room."""
    spilled = report.spilled_bytes
    if spilled is None or spilled < SPILLED_BYTES:
        return None
    waited = f" Reading it back and writing took {seconds(report.disk_seconds)}." if report.disk_seconds else ""
    gpu = any(worker.vram_total_bytes for worker in report.workers)
    where = "out of GPU memory or to disk" if gpu else "to disk"
    more = " Data frames on GPUs spill best with enable_cudf_spill=True." if gpu else ""
    return Finding(
        rule="spilling",
        title="Results were spilled",
        evidence=f"{format_size(spilled)} were moved {where} because memory ran short.{waited}",
        advice="Use smaller partitions, more workers or more memory each, drop what is not needed (del, persist less), "
        f"and choose narrower types.{more}",
    )


def memory_pressure(report: ReportFigures) -> Finding | None:
    """A worker that reached ``PRESSURE_SHARE`` of its memory limit despite spilling."""
    tight = [
        worker
        for worker in report.workers
        if worker.memory_limit_bytes
        and worker.peak_memory_bytes
        and worker.peak_memory_bytes >= PRESSURE_SHARE * worker.memory_limit_bytes
    ]
    if not tight:
        return None
    worst = max(tight, key=lambda worker: (worker.peak_memory_bytes or 0) / (worker.memory_limit_bytes or 1))
    assert worst.peak_memory_bytes is not None and worst.memory_limit_bytes is not None
    used = worst.peak_memory_bytes / worst.memory_limit_bytes
    return Finding(
        rule="memory_pressure",
        title="Workers were close to their memory limit",
        evidence=f"{len(tight)} of {len(report.workers)} workers used {share(PRESSURE_SHARE)} of their host memory or "
        f"more; {worst.title} {format_size(worst.peak_memory_bytes)} of {format_size(worst.memory_limit_bytes)} "
        f"({share(used)}). Dask pauses such a worker, and terminates it at 95 %.",
        advice="Use smaller partitions, fewer threads per worker, or a larger memory_limit.",
    )


def out_of_memory(report: ReportFigures) -> Finding | None:
    """Tasks ran out of memory; on a GPU with ``FREE_SHARE`` free, that is fragmentation."""
    texts = [text for text in report.failures.values() if _EXHAUSTED.search(text)]
    if not texts:
        return None
    free = [
        (worker, worker.vram_total_bytes - worker.peak_vram_bytes)
        for worker in on_gpu(report)
        if worker.vram_total_bytes and worker.peak_vram_bytes is not None
    ]
    roomy = [(worker, room) for worker, room in free if room >= FREE_SHARE * (worker.vram_total_bytes or 0)]
    if roomy and len(roomy) == len(free):
        worker, room = min(roomy, key=lambda item: item[1])
        pool = any(worker.peak_rmm_pool_bytes for worker, _ in free)
        evidence = f"{texts[0]}. Yet {worker.title} had at least {format_size(room)} of GPU memory free."
        if not pool:
            advice = (
                "Many small allocations leave gaps, and one large allocation may be more than is free. Create the "
                "cluster with an RMM pool (rmm_pool_size='80%'), and make partitions smaller."
            )
        else:
            advice = "The pool may be full or in pieces: make it larger (rmm_maximum_pool_size), use rmm_async=True, "
            advice += "or make partitions smaller."
        return Finding(rule="fragmentation", title="Out of memory with memory free", evidence=evidence, advice=advice)
    return Finding(
        rule="out_of_memory",
        title="Out of memory",
        evidence=f"Tasks ran out of memory: {texts[0]}",
        advice="Make partitions smaller, let data frames spill (enable_cudf_spill=True), or use more workers.",
    )


MOVED_BYTES = 64 * MEBIBYTE  # Less takes only milliseconds between workers.
MOVED_SHARE = 0.25  # Without times: at least a quarter of all results moved.
TRANSFER_SHARE = 0.2  # Fetching took at least this share of fetching and computing together.
GATHERED_BYTES = 100 * 10**6
"""More than 100 MB is rarely needed in a notebook, and passes through the scheduler in sequence."""
SENT_BYTES = 10 * 10**6  # Above it, Dask itself warns about a large graph.
NOTEBOOK_SHARE, _MOST_SHARE = 0.4, 0.6  # For at least this share of the time no task was submitted.
MOVED_BYTES_PER_SECOND = 20 * 10**6
"""Minimum speed of data to and from a notebook; separate rules report the time of that."""
_SHORT_SECONDS = 0.5


def between_workers(report: ReportFigures) -> Finding | None:
    """``MOVED_BYTES`` or more, which took ``TRANSFER_SHARE`` of the tasks' time.

    The duration of shuffles is not measured: if workers were idle for that share of the time, and in a report without
    times, ``MOVED_SHARE`` of all results counts. On a machine busy with other programs everything is slow, so the rule
    does not apply.
    """
    moved = report.transfers.between_workers_bytes
    if moved is None or moved < MOVED_BYTES or others_slow(report):
        return None
    made = sum(prefix.result_bytes for prefix in report.prefixes)
    spent = report.transfer_seconds or 0.0
    together = spent + (report.compute_seconds or 0.0)
    slow = together > 0 and spent / together >= TRANSFER_SHARE
    shuffled = report.transfers.shuffled_bytes or 0
    untimed = moved if report.transfer_seconds is None else shuffled
    waits = report.transfer_seconds is None or (report.idle_share or 0.0) >= TRANSFER_SHARE
    if not slow and not (waits and untimed and untimed >= MOVED_SHARE * made):
        return None
    how = f", {format_size(shuffled)} of it by shuffles" if shuffled else ""
    waited = f"; tasks waited {seconds(spent)} for it, {share(spent / together)} of their time" if slow else ""
    return Finding(
        rule="transfers",
        title="Much data moves between workers",
        evidence=f"{format_size(moved)} moved between workers{how}{waited}. All results together were "
        f"{format_size(made)}.",
        advice="Choose chunks so that operations stay inside them (rechunk once, early), join on a sorted index, "
        "filter and aggregate before a shuffle, and use fewer, larger workers. Between GPUs, use protocol='ucx'.",
    )


def to_notebook(report: ReportFigures) -> Finding | None:
    """``GATHERED_BYTES`` or more brought to the notebook."""
    gathered = report.transfers.to_clients_bytes
    if gathered is None or gathered < GATHERED_BYTES:
        return None
    gpu = any(worker.vram_total_bytes for worker in report.workers)
    pandas = " .to_pandas() copies from the GPU to host memory first; avoid it in the middle." if gpu else ""
    return Finding(
        rule="to_notebook",
        title="Large results come to the notebook",
        evidence=f"{format_size(gathered)} were transferred to the notebook, through the scheduler.",
        advice="Keep large results on the workers with persist(), write them with to_parquet() or to_zarr(), and "
        f"compute() only what you look at: aggregates, samples, head().{pandas}",
    )


def from_notebook(report: ReportFigures) -> Finding | None:
    """``SENT_BYTES`` or more in task graphs and scattered data."""
    sent = report.transfers.from_clients_bytes
    if sent is None or sent < SENT_BYTES:
        return None
    return Finding(
        rule="from_notebook",
        title="The notebook sends much to the cluster",
        evidence=f"{format_size(sent)} went from the notebook to the cluster, in task graphs and scattered data.",
        advice="Let tasks load the data where they run (dd.read_parquet, da.from_zarr, delayed loaders). What must "
        "come from the notebook, send once with client.scatter(), and pass the future.",
    )


def hardly_used(report: ReportFigures) -> Finding | None:
    """No task at all, or none submitted for ``NOTEBOOK_SHARE`` of the time."""
    if report.n_tasks == 0 and not report.n_unfinished_tasks:
        return Finding(
            rule="unused",
            title="The cluster was not used",
            evidence=f"No task ran on '{report.cluster}' in {seconds(report.wall_seconds)}.",
            advice="Dask collections are lazy: call compute() or persist(). And the notebook's client must be "
            "connected to this cluster: '%gpucluster connect'.",
        )
    alone = report.notebook_seconds
    if alone is None or report.wall_seconds < _SHORT_SECONDS or report.n_failed_tasks:
        return None
    moved = [
        size or 0
        for size, least in (
            (report.transfers.to_clients_bytes, GATHERED_BYTES), (report.transfers.from_clients_bytes, SENT_BYTES)
        )
        if (size or 0) >= least
    ]  # fmt: skip
    # Data to and from the notebook, and imports, have separate rules.
    alone -= sum(moved) / MOVED_BYTES_PER_SECOND
    alone -= (report.notebook_import_seconds or 0.0) + (report.scheduler_import_seconds or 0.0)
    if alone < NOTEBOOK_SHARE * report.wall_seconds:
        return None
    return Finding(
        rule="unused",
        title="The notebook took the time, not the cluster"
        if alone >= _MOST_SHARE * report.wall_seconds
        else "The notebook took much of the time",
        evidence=f"For {seconds(alone)} of {seconds(report.wall_seconds)} ({share(alone / report.wall_seconds)}) the "
        f"workers had no tasks ({counted(report.n_tasks or 0, 'task')} in all): the notebook's own code ran, or it "
        "sent and fetched data.",
        advice="Building a large graph, sending and fetching data, and the notebook's own work count here. "
        "Move work into tasks (map_blocks, map_partitions, delayed), compute several results at once "
        "(dask.compute(a, b)), and bring less to the notebook.",
    )


RULES: tuple[Rule, ...] = (
    lost_workers, out_of_memory, failed_tasks, busy_machine, spilling,
    memory_pressure, imports, tiny_tasks, few_partitions, skew, to_notebook,
    between_workers, from_notebook, data_loading, gpu_waits, busy_gpu_at_low_power,
    hardly_used,
)  # fmt: skip

IMPLIED_BY = {"unused": "tiny_tasks", "skew": "few_partitions"}
"""Findings that the other finding implies: threads are idle between tiny tasks, and one giant partition is skew."""


def find_bottlenecks(report: ReportFigures) -> list[Finding]:
    """Apply all rules. If none matches, the finding is that workers were idle, or that there is no bottleneck."""
    if report.n_tasks is None:
        return []
    found = [finding for rule in RULES if (finding := rule(report)) is not None]
    names = {finding.rule for finding in found}
    found = [finding for finding in found if IMPLIED_BY.get(finding.rule, "") not in names]
    return found or [idle(report) or fine(report)]


def idle(report: ReportFigures) -> Finding | None:
    """No other finding, but workers were idle for ``IDLE_SHARE`` of their threads' time with tasks."""
    if report.idle_share is None or report.idle_share < IDLE_SHARE:
        return None
    if report.wall_seconds < SHORT_SECONDS or (report.submitted_seconds or report.wall_seconds) < SHORT_SECONDS:
        return None
    return Finding(
        rule="idle",
        title="Workers were idle",
        evidence=f"While there were tasks, workers were idle {share(report.idle_share)} of the time: "
        f"{report.n_tasks:,} tasks computed {seconds(report.compute_seconds or 0)} on {report.n_threads} threads in "
        f"{seconds(report.submitted_seconds or report.wall_seconds)}.",
        advice="Give them more at once: more partitions, several computations in one dask.compute(a, b), or data "
        "prefetched while others compute. Or use fewer workers.",
    )


def fine(report: ReportFigures) -> Finding:
    """No bottleneck."""
    if report.wall_seconds < SHORT_SECONDS:
        evidence = f"The code took {seconds(report.wall_seconds)}: too short to show where the time goes."
        return Finding(rule="fine", title="Too short to tell", evidence=evidence, advice="Profile a larger piece.")
    moved = report.transfers.between_workers_bytes
    parts = [f"Workers were busy {share(1 - (report.idle_share or 0))} of the time with tasks"]
    if report.mean_task_seconds is not None:
        parts.append(f"a task took {seconds(report.mean_task_seconds)} on average")
    if moved is not None:
        parts.append(f"{format_size(moved)} moved between workers")
    return Finding(rule="fine", title="No bottleneck found", evidence=", ".join(parts) + ".", advice=_faster(report))


def _faster(report: ReportFigures) -> str:
    if (report.cores_busy_share or 0.0) >= BUSY_CORES_SHARE:
        return (
            f"To be faster, make the tasks themselves faster. All cores are busy ({share(report.cores_busy_share or 0)}"
            "): more workers would help only on another machine."
        )
    return "To be faster, use more workers, or make the tasks themselves faster."
