"""Measure a cluster: all workloads, on each number of workers."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ..protocol.errors import GPUClusterError, InvalidRequest
from ..protocol.plain_text import counted
from .catalogue import workloads as find_workloads
from .errors import NothingToMeasure, WrongResult
from .machine import hosts_of, report
from .result import BenchResult, ClusterFacts, LeftOut, Measurement, doubts
from .target import Target
from .workload import SIZES, Context, Outcome, Size, Workload

Say = Callable[[str], None]
_WIDTH = 24


class ProgressBar:
    """Counts steps of about the same length, and shows progress and remaining time."""

    def __init__(self, total: float, say: Say) -> None:
        self._total = max(total, 1.0)
        self._done = 0.0
        self._say = say
        self._started = time.monotonic()

    def step(self, text: str, steps: float = 1.0) -> None:
        """Count steps as done, and show what is next."""
        self._done = min(self._done + steps, self._total)
        self.show(text)

    def show(self, text: str) -> None:
        share = self._done / self._total
        full = round(share * _WIDTH)
        self._say(f"{'█' * full}{'░' * (_WIDTH - full)} {share:4.0%} {text}{self._left()}")

    def _left(self) -> str:
        elapsed = time.monotonic() - self._started
        if self._done < 1 or elapsed < 5 or self._done >= self._total:
            return ""
        left = elapsed / self._done * (self._total - self._done)
        return f", about {left:.0f} s left" if left < 120 else f", about {left / 60:.0f} min left"


@dataclass
class Prepared:
    """A workload with its data, after a warm-up run."""

    workload: Workload
    context: Context
    size: Size
    data: Any
    prepare_seconds: float
    warm_up_seconds: float
    check: float
    n_tasks: int  # Number of tasks of the scheduler between two runs.

    def seconds(self) -> float:
        """Run the workload once, check its result, and return its seconds."""
        self.context.wait_until_forgotten(self.n_tasks)
        outcome, seconds = timed(self.workload, self.data)
        require_same(self.workload, self.check, outcome.check, "two runs")
        return seconds

    def measure(self, repeats: int, step: Callable[[int], None]) -> Measurement:
        """Measure ``repeats`` runs; ``step`` is called with the number of each run before it."""
        seconds = []
        for number in range(repeats):
            step(number)
            seconds.append(self.seconds())
        parameters = self.workload.sizes[self.size]
        return Measurement(
            workload=self.workload.name,
            title=self.workload.title,
            size=self.size,
            parameters=dict(parameters),
            n_workers=self.context.n_workers,
            n_blocks=self.context.n_blocks,
            seconds=seconds,
            warm_up_seconds=self.warm_up_seconds,
            prepare_seconds=self.prepare_seconds,
            amount=None if self.workload.amount is None else self.workload.amount(parameters),
            unit=self.workload.unit,
            scales=self.workload.scales,
            check=self.check,
        )


def prepared(workload: Workload, context: Context, size: Size) -> Prepared:
    started = time.perf_counter()
    data = workload.prepare(context, workload.sizes[size])
    made = time.perf_counter()
    n_tasks = context.n_tasks()
    outcome, seconds = timed(workload, data)
    return Prepared(workload, context, size, data, made - started, seconds, outcome.check, n_tasks)


def timed(workload: Workload, data: Any) -> tuple[Outcome, float]:
    """Run a workload, and return its result and its seconds from the call until the result is in the client."""
    started = time.perf_counter()
    outcome = workload.run(data)
    seconds = time.perf_counter() - started
    return outcome, seconds if outcome.seconds is None else outcome.seconds


def require_same(workload: Workload, one: float, other: float, whose: str) -> None:
    """Raise `WrongResult` where results differ by more than the workload's tolerance."""
    if not abs(one - other) <= workload.tolerance * max(abs(one), abs(other), 1e-300):
        raise WrongResult(
            f"The results of {whose} differ: {one!r} and {other!r}. Timings are only valid if the results agree."
        )


SHARE = 0.5  # Of the workers' memory: Dask begins to spill at 0.6.


class Sizes:
    """Chooses the sizes with the fewest workers; with more workers, they stay the same.

    ``seconds``: instead of the wanted size, the time limit of one workload on one number of workers; sizes grow from
    the smallest. ``memory_bytes``: of the fewest workers together; ``None``: no limit is known.
    """

    def __init__(self, wanted: Size, seconds: float | None, memory_bytes: int | None, repeats: int) -> None:
        self._wanted: Size = SIZES[-1] if seconds is not None else wanted
        self._seconds = seconds
        self._memory = memory_bytes
        self._repeats = repeats
        self._decided: dict[str, Size] = {}
        self.notes: list[str] = []

    def prepared(self, workload: Workload, context: Context) -> Prepared | None:
        """Return the workload with its data, run once; ``None`` where no size fits into the memory."""
        if workload.name in self._decided:
            return prepared(workload, context, self._decided[workload.name])
        largest = largest_that_fits(workload, self._wanted, self._memory)
        if largest is None:
            return None
        if self._seconds is None:
            if largest != self._wanted:
                self.notes.append(
                    f"{workload.name}: '{self._wanted}' does not fit in half of the workers' memory, so '{largest}' "
                    "was measured."
                )
            ready = prepared(workload, context, largest)
        else:
            ready = self._grown(workload, context, largest, self._seconds)
        self._decided[workload.name] = ready.size
        return ready

    def _grown(self, workload: Workload, context: Context, largest: Size, seconds: float) -> Prepared:
        began = time.perf_counter()
        size = SIZES[0]
        ready = prepared(workload, context, size)
        while True:
            # The first run is slow; the second one is an estimate of the others.
            started = time.perf_counter()
            workload.run(ready.data)
            each = time.perf_counter() - started
            left = seconds - (time.perf_counter() - began)
            if size != SIZES[0] and each * self._repeats > left:
                smaller = SIZES[SIZES.index(size) - 1]
                ready.data = None  # The workers need the memory.
                return prepared(workload, context, smaller)
            if size == largest:
                return ready
            larger = SIZES[SIZES.index(size) + 1]
            factor = work(workload, larger) / work(workload, size)
            # Small sizes have relatively more overhead, so this is an upper bound for trying the next one: its data, a
            # warm-up run and a timed run.
            if factor == 1 or 3 * each * factor > left:
                return ready
            ready.data = None
            ready, size = prepared(workload, context, larger), larger


def largest_that_fits(workload: Workload, wanted: Size, memory_bytes: int | None) -> Size | None:
    """Return the wanted size, or the largest smaller one that fits into half of the memory; ``None`` if none does."""
    for size in reversed(SIZES[: SIZES.index(wanted) + 1]):
        if memory_bytes is None or workload.memory_bytes(workload.sizes[size]) <= SHARE * memory_bytes:
            return size
    return None


def work(workload: Workload, size: Size) -> float:
    """Return a number that the time of a run is about proportional to."""
    parameters = workload.sizes[size]
    if "queries" in parameters:  # Each query is compared with each row.
        return float(parameters["queries"] * parameters["rows"])
    return workload.amount(parameters) if workload.amount is not None else 1.0


REPEATS = 5  # Runs that count; four are needed to compare two results.
INTERRUPTED = "Interrupted: the remaining measurements were skipped."


def bench(
    target: Target, *, only: Sequence[str] | None = None, size: Size | None = None, seconds: float | None = None,
    workers: Sequence[int] | None = None, repeats: int = REPEATS, say: Say = lambda _: None,
) -> BenchResult:  # fmt: skip
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
        Instead of a size: approximate time limit of the benchmark. Sizes are then chosen by trial runs.
    workers : sequence of int, optional
        Numbers of workers to measure in turn. Sizes are the same for all. Default: as many as there are.
    repeats : int
        Runs that count, after a warm-up run.
    say : callable
        Shows one line of progress.

    Returns
    -------
    BenchResult
        After Ctrl-C, with the measurements until then.

    Raises
    ------
    InvalidRequest, InvalidState, NothingToMeasure
    """
    if size is not None and seconds is not None:
        raise InvalidRequest("Pass a size or seconds, not both.")
    if size is not None and size not in SIZES:
        raise InvalidRequest(f"size: must be one of {', '.join(SIZES)}, not {size!r}.")
    if repeats < 1:
        raise InvalidRequest("repeats: must be at least 1.")
    counts = sorted(set(workers)) if workers else [len(target.workers)]
    if counts[0] < 1:
        raise NothingToMeasure(f"{target.name[:1].upper()}{target.name[1:]} has no workers. Add workers first.")
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
        ranks = [each["mpi"] for each in reports.values()]
        mpi = all(ranks) and len(set(ranks)) == len(ranks)
        possible = [workload for workload in chosen if mpi or not workload.needs_mpi]
        if named and len(possible) < len(chosen):
            raise NothingToMeasure(
                "The workers are not part of the same MPI program, so they cannot communicate over MPI."
            )
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
        loads = {each["host"]: each["load"] for each in reports.values()}  # Before the measurement.
        first = next(iter(more.values()))
        hosts = hosts_of(more, workers, loads)
        notes = [
            *([self._libraries.warning] if self._libraries.warning else []), *sizes.notes,
            *doubts(self._measured, hosts), *([] if complete else [INTERRUPTED]),
        ]  # fmt: skip
        return BenchResult(
            complete=complete, started_at=at, wall_seconds=time.perf_counter() - started,
            cluster=ClusterFacts(
                name=self._target.name, backend=self._target.backend, protocol=self._target.protocol,
                n_workers=self._counts, threads_per_worker=self._threads, memory_limit_bytes=self._memory_bytes,
                mpi=mpi, arrays=self._libraries.arrays, frames=self._libraries.frames,
            ),
            hosts=hosts, versions=first["versions"], settings=first["settings"],
            n_repeats=self._repeats, measurements=self._measured, left_out=self._left_out, notes=notes,
        )  # fmt: skip

    def _each_count(self, workloads: Sequence[Workload], sizes: Sizes, bar: ProgressBar) -> None:
        for count in self._counts:
            bar.show(f"waiting for {counted(count, 'worker')}")
            self._target.scale(count)
            # The same number of blocks for all numbers of workers, so that the work is the same.
            n_blocks = 2 * self._threads * self._counts[-1]
            context = Context(self._target.client, count, n_blocks, self._libraries.frames)
            for workload in workloads:
                self._one(workload, context, sizes, bar)

    def _one(self, workload: Workload, context: Context, sizes: Sizes, bar: ProgressBar) -> None:
        """Measure one workload on the current workers, or record why not."""
        text = f"{workload.name}, {counted(context.n_workers, 'worker')}"
        if context.n_workers < workload.least_workers:
            self._leave_out(workload, context, f"it needs at least {workload.least_workers} workers", failed=False)
            bar.step(text, self._repeats + 2)
            return
        bar.show(f"{text}: generating the data")
        steps = 0

        def step(number: int) -> None:
            nonlocal steps
            advance = 1 if number else 2
            steps += advance
            bar.step(f"{text}: run {number + 1} of {self._repeats}", advance)

        try:
            ready = sizes.prepared(workload, context)
            if ready is None:
                self._leave_out(workload, context, "even the smallest size does not fit in memory", failed=False)
                return
            measured = ready.measure(self._repeats, step)
            known = self._checks.setdefault(workload.name, measured.check)
            require_same(workload, known, measured.check, "different numbers of workers")
            self._measured.append(measured)
        except Exception as error:
            # Any error of a workload or the cluster: the others can still be measured.
            why = error.message if isinstance(error, GPUClusterError) else f"{type(error).__name__}: {error}"
            self._leave_out(workload, context, " ".join(why.split())[:500], failed=True)
        finally:
            ready = None
            gc.collect()  # Let the workers forget the data before they get the next ones.
            bar.step(text, self._repeats + 2 - steps)

    def _leave_out(self, workload: Workload, context: Context, why: str, *, failed: bool) -> None:
        self._left_out.append(LeftOut(workload=workload.name, n_workers=context.n_workers, why=why, failed=failed))
