"""Measure a cluster: all workloads, on each number of workers."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from ..protocol.errors import GPUClusterError, InvalidRequest
from .catalogue import workloads as find_workloads
from .doubts import doubts
from .errors import NothingToMeasure
from .machine import hosts_of, report
from .progress import ProgressBar, Say
from .result import BenchResult, ClusterFacts, LeftOut, Measurement
from .site import Site
from .sizing import Sizes
from .text import counted
from .timing import agree
from .workload import SIZES, Ground, Size, Workload

REPEATS = 5
"""So many runs count; four are needed to compare two results."""
INTERRUPTED = "Interrupted: what came later was not measured."


def bench(
    site: Site,
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
    site : Site
        The cluster, from `gpucluster.bench.site`.
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
    counts = sorted(set(workers)) if workers else [len(site.workers)]
    if counts[0] < 1:
        raise NothingToMeasure(f"{site.name[:1].upper()}{site.name[1:]} has no workers. Give it some first.")
    chosen = find_workloads(only)
    say(f"Waiting for {counted(counts[0])}")
    site.scale(counts[0])
    return _Run(site, counts, repeats, say).all(chosen, only is not None, size or "small", seconds)


class _Run:
    def __init__(self, site: Site, counts: list[int], repeats: int, say: Say) -> None:
        self._site = site
        self._counts = counts
        self._repeats = repeats
        self._say = say
        self._libraries = site.libraries()
        self._checks: dict[str, float] = {}
        self._measured: list[Measurement] = []
        self._left_out: list[LeftOut] = []
        self._memory_bytes = site.worker_memory_bytes(self._libraries.frames)
        self._threads = max(worker["nthreads"] for worker in site.workers.values())

    def all(self, chosen: list[Workload], named: bool, size: Size, seconds: float | None) -> BenchResult:
        import dask

        started, at = time.perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
        reports = self._site.client.run(report)
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
        with dask.config.set(backends), self._site.client.as_current():
            try:
                self._each_count(possible, sizes, bar)
            except KeyboardInterrupt:
                if not self._measured:
                    raise
                complete = False
            more, workers = self._site.client.run(report), self._site.workers
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
            bar.show(f"waiting for {counted(count)}")
            self._site.scale(count)
            # As many blocks for all numbers of workers, so that the work is the same.
            n_blocks = 2 * self._threads * self._counts[-1]
            ground = Ground(self._site.client, count, n_blocks, self._libraries.frames)
            for workload in workloads:
                self._one(workload, ground, sizes, bar)

    def _facts(self, mpi: bool) -> ClusterFacts:
        return ClusterFacts(
            name=self._site.name, backend=self._site.backend, protocol=self._site.protocol, n_workers=self._counts,
            threads_per_worker=self._threads, memory_limit_bytes=self._memory_bytes, mpi=mpi,
            arrays=self._libraries.arrays, frames=self._libraries.frames,
        )  # fmt: skip

    def _one(self, workload: Workload, ground: Ground, sizes: Sizes, bar: ProgressBar) -> None:
        """Measure one workload on the workers that are there now, or write down why not."""
        text = f"{workload.name}, {counted(ground.n_workers)}"
        if ground.n_workers < workload.least_workers:
            self._leave_out(workload, ground, f"it needs at least {workload.least_workers} workers", failed=False)
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
            ready = sizes.prepared(workload, ground)
            if ready is None:
                self._leave_out(workload, ground, "not even the smallest size fits into the memory", failed=False)
                return
            measured = ready.measure(self._repeats, step)
            known = self._checks.setdefault(workload.name, measured.check)
            agree(workload, known, measured.check, "different numbers of workers")
            self._measured.append(measured)
        except Exception as error:
            # Whatever a workload or the cluster does wrong: the others can still be measured.
            why = error.message if isinstance(error, GPUClusterError) else f"{type(error).__name__}: {error}"
            self._leave_out(workload, ground, " ".join(why.split())[:500], failed=True)
        finally:
            ready = None
            gc.collect()  # Lets the workers forget the data before the next ones come.
            bar.step(text, self._repeats + 2 - steps)

    def _leave_out(self, workload: Workload, ground: Ground, why: str, *, failed: bool) -> None:
        self._left_out.append(LeftOut(workload=workload.name, n_workers=ground.n_workers, why=why, failed=failed))
