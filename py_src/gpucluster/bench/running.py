"""Measure a cluster: all workloads, on each number of workers."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from ..protocol.errors import GPUClusterError, InvalidRequest
from ..protocol.plain_text import counted
from .catalogue import workloads as find_workloads
from .doubts import doubts
from .errors import NothingToMeasure
from .machine import hosts_of, report
from .names import SIZES, Size
from .progress import ProgressBar, Say
from .result import BenchResult, ClusterFacts, LeftOut, Measurement
from .sizing import Sizes
from .target import Target
from .timing import require_same
from .workload import Context, Workload

REPEATS = 5
"""So many runs count; four are needed to compare two results."""
INTERRUPTED = "Interrupted: what came later was not measured."


def bench(
    target: Target,
    *,
    only: Sequence[str] | None = None,
    size: Size | None = None,
    seconds: float | None = None,
    workers: Sequence[int] | None = None,
    repeats: int = REPEATS,
    say: Say = lambda _: None,
) -> BenchResult:
    """Measure a cluster.

    Parameters
    ----------
    target : Target
        The cluster, from ``gpucluster.bench.target``.
    only : sequence of str, optional
        Names of workloads. Default: all that the cluster can run.
    size : {"tiny", "small", "medium", "large"}, optional
        Of all workloads. Where it does not fit into half of the workers' memory, the largest that does is measured.
        Default: ``small``.
    seconds : float, optional
        Instead of a size: how long all may take, roughly. Sizes are then chosen by trying.
    workers : sequence of int, optional
        Numbers of workers to measure in turn. Sizes are the same for all. Default: as many as there are.
    repeats : int
        Runs that count; one before them does not.
    say : callable
        Shows one line of progress.

    Returns
    -------
    BenchResult
        After Ctrl-C, with what was measured until then.

    Raises
    ------
    InvalidRequest, InvalidState, NothingToMeasure
    """
    if size is not None and seconds is not None:
        raise InvalidRequest("Give a size or seconds, not both.")
    if size is not None and size not in SIZES:
        raise InvalidRequest(f"size: must be one of {', '.join(SIZES)}, not {size!r}.")
    if repeats < 1:
        raise InvalidRequest("repeats: at least one run must count.")
    counts = sorted(set(workers)) if workers else [len(target.workers)]
    if counts[0] < 1:
        raise NothingToMeasure(f"{target.name[:1].upper()}{target.name[1:]} has no workers. Give it some first.")
    chosen = find_workloads(only)
    say(f"Waiting for {counted(counts[0], 'worker')}")
    target.scale(counts[0])
    return _Run(target, counts, repeats, say).all(chosen, only is not None, size or "small", seconds)


class _Run:
    def __init__(self, target: Target, counts: list[int], repeats: int, say: Say) -> None:
        self._target = target
        self._counts = counts
        self._repeats = repeats
        self._say = say
        self._libraries = target.libraries()
        self._checks: dict[str, float] = {}
        self._measured: list[Measurement] = []
        self._left_out: list[LeftOut] = []
        self._memory_bytes = target.worker_memory_bytes(self._libraries.frames)
        self._threads = max(worker["nthreads"] for worker in target.workers.values())

    def all(self, chosen: list[Workload], named: bool, size: Size, seconds: float | None) -> BenchResult:
        import dask

        started, at = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
        reports = self._target.client.run(report)
        ranks = [told["mpi"] for told in reports.values()]
        mpi = all(ranks) and len(set(ranks)) == len(ranks)
        possible = [workload for workload in chosen if mpi or not workload.needs_mpi]
        if named and len(possible) < len(chosen):
            raise NothingToMeasure("The workers are not processes of one MPI program, so nothing can go over MPI.")
        cases = len(possible) * len(self._counts)
        each = None if seconds is None else seconds / cases
        memory = None if self._memory_bytes is None else self._memory_bytes * self._counts[0]
        sizes = Sizes(size, each, memory, self._repeats)
        bar = ProgressBar((self._repeats + 2) * cases, self._say)
        backends = {"array.backend": self._libraries.arrays, "dataframe.backend": self._libraries.frames}
        complete = True
        with dask.config.set(backends), self._target.client.as_current():
            try:
                self._each_count(possible, sizes, bar)
            except KeyboardInterrupt:
                if not self._measured:
                    raise
                complete = False
            more, workers = self._target.client.run(report), self._target.workers
        if not self._measured:
            raise NothingToMeasure(
                "Nothing could be measured: " + "; ".join(f"{o.workload}: {o.why}" for o in self._left_out) + "."
            )
        loads = {told["host"]: told["load"] for told in reports.values()}  # Before our own work.
        first = next(iter(more.values()))
        hosts = hosts_of(more, workers, loads)
        notes = [
            *([self._libraries.warning] if self._libraries.warning else []), *sizes.notes,
            *doubts(self._measured, hosts), *([] if complete else [INTERRUPTED]),
        ]  # fmt: skip
        return BenchResult(
            complete=complete, started_at=at, wall_seconds=time.perf_counter() - started, cluster=self._facts(mpi),
            hosts=hosts, versions=first["versions"], settings=first["settings"],
            n_repeats=self._repeats, measurements=self._measured, left_out=self._left_out, notes=notes,
        )  # fmt: skip

    def _each_count(self, workloads: Sequence[Workload], sizes: Sizes, bar: ProgressBar) -> None:
        for count in self._counts:
            bar.show(f"waiting for {counted(count, 'worker')}")
            self._target.scale(count)
            # As many blocks for all numbers of workers, so that the work is the same.
            n_blocks = 2 * self._threads * self._counts[-1]
            context = Context(self._target.client, count, n_blocks, self._libraries.frames)
            for workload in workloads:
                self._one(workload, context, sizes, bar)

    def _facts(self, mpi: bool) -> ClusterFacts:
        return ClusterFacts(
            name=self._target.name, backend=self._target.backend, protocol=self._target.protocol,
            n_workers=self._counts, threads_per_worker=self._threads, memory_limit_bytes=self._memory_bytes, mpi=mpi,
            arrays=self._libraries.arrays, frames=self._libraries.frames,
        )  # fmt: skip

    def _one(self, workload: Workload, context: Context, sizes: Sizes, bar: ProgressBar) -> None:
        """Measure one workload on the workers that are there now, or write down why not."""
        text = f"{workload.name}, {counted(context.n_workers, 'worker')}"
        if context.n_workers < workload.least_workers:
            self._leave_out(workload, context, f"it needs at least {workload.least_workers} workers", failed=False)
            bar.step(text, self._repeats + 2)
            return
        bar.show(f"{text}: making the data")
        steps = 0

        def step(number: int) -> None:
            nonlocal steps
            advance = 1 if number else 2
            steps += advance
            bar.step(f"{text}: run {number + 1} of {self._repeats}", advance)

        try:
            ready = sizes.prepared(workload, context)
            if ready is None:
                self._leave_out(workload, context, "not even the smallest size fits into the memory", failed=False)
                return
            measured = ready.measure(self._repeats, step)
            known = self._checks.setdefault(workload.name, measured.check)
            require_same(workload, known, measured.check, "different numbers of workers")
            self._measured.append(measured)
        except Exception as error:
            # Whatever a workload or the cluster does wrong: the others can still be measured.
            why = error.message if isinstance(error, GPUClusterError) else f"{type(error).__name__}: {error}"
            self._leave_out(workload, context, " ".join(why.split())[:500], failed=True)
        finally:
            ready = None
            gc.collect()  # Lets the workers forget the data before the next ones come.
            bar.step(text, self._repeats + 2 - steps)

    def _leave_out(self, workload: Workload, context: Context, why: str, *, failed: bool) -> None:
        self._left_out.append(LeftOut(workload=workload.name, n_workers=context.n_workers, why=why, failed=failed))
