"""Rules about bytes that move between workers, and to and from the notebook."""

from __future__ import annotations

from ...protocol.durations import seconds
from ...protocol.plain_text import counted
from ...protocol.sizes import MEBIBYTE, format_size
from ..model import Finding, ReportFigures, share
from .tasks import others_slow

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
        evidence=f"{format_size(gathered)} were brought to the notebook, through the scheduler.",
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
