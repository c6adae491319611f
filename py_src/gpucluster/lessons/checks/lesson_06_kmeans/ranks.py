"""Lesson 06, the loop without a notebook in the middle: every rank merges by allreduce."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ....dask_internals.scheduler_information import known_workers
from ....learn.communicators import SerialCommunicator
from ....protocol.errors import GPUClusterError
from ...examination import Examination, Halt
from ...simulations.ranks import NoMPI, RankRun, mpiexec, run_on_workers, run_under_mpi
from ...simulations.ranks.outcome import CountingCommunicator
from ...simulations.ranks.threads import run_in_threads
from .. import exercise
from ..answers import Floats
from .reference import (
    expect_empty,
    expect_limit,
    expect_stop,
    hard_options,
    inertia_of,
    largest_gap,
    largest_moves,
    read_path,
    serial_lloyd,
    telling_tolerances,
    unequal_sizes,
)

TOLERANCE, LIMIT = 1e-9, 40


@exercise("06.6", "kmeans_on_ranks")
def check_ranks(exam: Examination, kmeans_on_ranks: Any) -> None:
    """One rank, the workers as ranks, and ranks of MPI where there is MPI: all find what a serial loop finds."""
    k, d = 5, 3
    centres = exam.rng.normal(0, 6, (k, d))
    start = np.ascontiguousarray(centres + exam.rng.normal(0, 1, (k, d)))
    few, many = (_points(exam.rng, centres, n) for n in (1500, 6000))
    _expect_same(exam, [_alone(exam, kmeans_on_ranks, few, start)], few, start, "one rank that has all points")
    if not exam.passed:
        return
    lonely, most = hard_options(exam.rng, few, start)
    last, inertias = _fit(exam, _alone(exam, kmeans_on_ranks, few, lonely, 0.0, most), lonely)
    expect_limit(exam, len(inertias), most)
    expect_empty(exam, last, lonely)
    for tolerance in telling_tolerances(few, start, LIMIT):
        path, _ = read_path(exam, _alone(exam, kmeans_on_ranks, few, start, tolerance), start)
        expect_stop(exam, path, tolerance)
    _expect_exact_stop(exam, kmeans_on_ranks, few, start)
    _expect_threads(exam, kmeans_on_ranks, few, start)
    if not exam.passed:
        return
    each = [_on_workers(exam, kmeans_on_ranks, points, start) for points in (few, many)]
    for points, run in zip((few, many), each, strict=True):
        size = len(run.results)
        _expect_same(exam, run.results, points, start, f"{size} ranks with different numbers of points")
    _expect_bytes(exam, each, k, d)
    starter = mpiexec()
    if starter is not None and exam.passed:
        with suppress(NoMPI):  # MPI does not work on this machine: the workers have shown enough
            run = _guarded(
                exam, run_under_mpi, starter, kmeans_on_ranks, few.copy(), start.copy(), TOLERANCE, LIMIT, n_ranks=2
            )
            _expect_same(exam, run.results, few, start, "2 processes of MPI")


def _points(rng: np.random.Generator, centres: Floats, n: int) -> Floats:
    """Points around the centres; neighbours in space are neighbours in the file, so the ranks' parts are not alike."""
    points = centres[rng.integers(0, len(centres), n)] + rng.normal(0, 1.5, (n, centres.shape[1]))
    ordered: Floats = points[np.argsort(points[:, 0])]
    return ordered


def _alone(
    exam: Examination, function: Any, points: Floats, start: Floats, tolerance: float = TOLERANCE, limit: int = LIMIT
) -> Any:
    return exam.call(
        function, CountingCommunicator(SerialCommunicator()), points.copy(), start.copy(), tolerance, limit
    )


def _expect_exact_stop(exam: Examination, function: Any, points: Floats, start: Floats) -> None:
    """A movement of exactly the tolerance is not more than it; a movement downwards is one, too."""
    for sign in (1.0, -1.0):
        path, _ = read_path(exam, _alone(exam, function, sign * points, sign * start), sign * start)
        for move in largest_moves(path)[1:4]:
            for tolerance in (float(move), 0.999 * float(move)):
                again, _ = read_path(exam, _alone(exam, function, sign * points, sign * start, tolerance), sign * start)
                expect_stop(exam, again, tolerance)


def _expect_threads(exam: Examination, function: Any, points: Floats, start: Floats) -> None:
    """Four ranks with parts that are not alike, one of them without a point."""
    sizes = exam.rng.permutation([*unequal_sizes(exam.rng, len(points), 3), 0])
    parts = np.split(points, np.cumsum(sizes)[:-1])
    ranks = f"4 ranks with {', '.join(str(size) for size in sizes)} points"
    for tolerance in (TOLERANCE, *telling_tolerances(points, start, LIMIT)):
        run = _guarded(exam, run_in_threads, function, parts, start, tolerance, LIMIT)
        if tolerance == TOLERANCE:
            _expect_same(exam, run.results, points, start, ranks)
            continue
        for result in run.results:
            expect_stop(exam, read_path(exam, result, start)[0], tolerance)


def _on_workers(exam: Examination, function: Any, points: Floats, start: Floats) -> RankRun:
    n_workers = len(known_workers(exam.client))
    sizes = unequal_sizes(exam.rng, len(points), n_workers)
    return _guarded(
        exam, run_on_workers, function, points.copy(), start.copy(), TOLERANCE, LIMIT, client=exam.client, sizes=sizes
    )


def _guarded(exam: Examination, runner: Any, *arguments: Any, **options: Any) -> RankRun:
    try:
        run: RankRun = runner(*arguments, **options)
    except NoMPI:
        raise
    except GPUClusterError as error:
        exam.require("It runs on several ranks without an error", False, str(error)[:300])
        raise Halt from None
    return run


def _expect_same(exam: Examination, results: list[Any], points: Floats, start: Floats, ranks: str) -> None:
    fits = [_fit(exam, result, start) for result in results]
    same = all(np.array_equal(centroids, fits[0][0]) for centroids, _ in fits)
    exam.expect("All ranks return the same centroids, bit by bit", same, f"{'equal' if same else 'not equal'}: {ranks}")
    true = serial_lloyd(points, start, TOLERANCE, LIMIT)
    gap = largest_gap(fits[0][0], true)
    exam.expect(
        "The centroids are those of a serial loop over all points, whatever the number of ranks",
        gap < 1e-8,
        f"largest difference {gap:.2g} with {ranks}",
    )
    inertias = fits[0][1]
    rise = float((np.diff(inertias) / inertias[:-1]).max()) if len(inertias) > 1 else 0.0
    exam.expect("The inertia never rises", rise < 1e-9, f"largest rise {max(0.0, rise):.2%} with {ranks}")
    ratio = inertias[0] / inertia_of(points, start)
    exam.expect("inertias[0] is the inertia of the start over all points", abs(ratio - 1) < 1e-9,
                f"{ratio:.6g} times that, with {ranks}")  # fmt: skip


def _fit(exam: Examination, result: Any, start: Floats) -> tuple[Floats, Floats]:
    path, inertias = read_path(exam, result, start)
    return path[-1], inertias


def _expect_bytes(exam: Examination, runs: list[RankRun], k: int, d: int) -> None:
    """A rank gives the same number of bytes in each iteration, for few points and for many."""
    spent = [max(run.all_bytes) / len(run.results[0][1]) for run in runs]
    needed, most = 8 * k * (d + 1), 8 * k * (d + 1) + 64
    observed = " and ".join(
        f"{bytes_:,.0f} bytes for {n:,} points" for bytes_, n in zip(spent, (1500, 6000), strict=True)
    )
    exam.expect(
        f"A rank gives 8 k (d + 1) = {needed} bytes per iteration, and at most 64 more (the inertia)",
        all(needed <= bytes_ <= most for bytes_ in spent),
        observed,
    )
    exam.expect("The bytes do not depend on the number of points", abs(spent[0] - spent[1]) < 1, observed)
