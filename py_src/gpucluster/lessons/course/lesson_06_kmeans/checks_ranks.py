"""The checks of lesson 06, ranks."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ....dask_internals.scheduler_information import known_workers
from ....learn.communicators import SerialCommunicator
from ....protocol.errors import GPUClusterError
from ...answers import Floats, in_blocks, number, on_workers, several
from ...checks import exercise
from ...examination import Examination, Halt, describe
from ...material.conversion import as_numpy
from ...material.pictures import distinct_colours, load_photo, png_bytes
from ...probes.transfers import Traffic
from ...simulations.ranks import NoMPI, RankRun, mpiexec, run_on_workers, run_under_mpi
from ...simulations.ranks.outcome import CountingCommunicator
from ...simulations.ranks.threads import run_in_threads
from .checks import (
    expect_empty,
    expect_limit,
    expect_stop,
    hard_options,
    inertia_of,
    largest_gap,
    largest_moves,
    read_path,
    serial_lloyd,
    squared_distances,
    telling_tolerances,
    unequal_sizes,
)

# The loop without a notebook in the middle: every rank merges by allreduce.


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
        "The centroids equal those of a serial loop over all points, for any number of ranks",
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
        f"A rank contributes 8 k (d + 1) = {needed} bytes per iteration, and at most 64 more (the inertia)",
        all(needed <= bytes_ <= most for bytes_ in spent),
        observed,
    )
    exam.expect("The bytes do not depend on the number of points", abs(spent[0] - spent[1]) < 1, observed)


# The comparison with the library: from the same start, and in both directions.


LARGEST_DIFFERENCE = 0.01
SMALLEST_ARI = 0.98


@exercise("06.9", "fit_library", "agreement")
def check_library(exam: Examination, fit_library: Any, agreement: Any) -> None:
    """The library starts where it was told to, and ends as Lloyd's algorithm does; both figures compare two results."""
    _expect_agreement(exam, agreement)
    _expect_fit(exam, fit_library)


def _expect_fit(exam: Examination, fit_library: Any) -> None:
    from distributed import wait

    points, start = _trap(exam.rng)
    true = serial_lloyd(points, start, 1e-9, 300)
    sizes = unequal_sizes(exam.rng, len(points), 3)
    with exam.client.as_current():
        X = in_blocks(points, sizes).persist()
        wait(X)
        with Traffic(exam.client) as traffic:
            model = exam.call(fit_library, X, start.copy())
    exam.require("It returns a fitted model with cluster_centers_", hasattr(model, "cluster_centers_"), describe(model))
    found = np.asarray(as_numpy(model.cluster_centers_), dtype=float)
    exam.require("There are as many centroids as in the start", found.shape == start.shape, f"shape {found.shape}")
    exam.expect(
        "The points stay on the workers",
        traffic.bytes < 0.5 * points.nbytes,
        f"{traffic.bytes:,} bytes left the workers, the points have {points.nbytes:,}",
    )
    off = inertia_of(points, found) / inertia_of(points, true) - 1
    exam.expect(
        "From the same start, the inertia is within 1 % of your loop's",
        abs(off) < LARGEST_DIFFERENCE,
        f"{off:+.2%}" + (": better than is possible from this start, so it started elsewhere" if off < -0.01 else ""),
    )
    same = _ari(points, found, true)
    exam.expect("The groups match those of your loop: ARI above 0.98", same > SMALLEST_ARI, f"ARI {same:.3f}")


def _trap(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return points and a start from which k-means ends in a minimum that is far from the smallest one.

    Four groups and three centroids: one centroid lies between two groups far apart, two share two that are close.
    Far from them, two more centroids share a row of four groups; one of these changes its centroid in the second
    iteration. In the end no point lies near a border, so every way of stopping (``tol``, ``max_iter``) finds the same.
    """
    centres = np.array([[0.0, 0, 0], [30, 0, 0], [13, 100, 0], [17, 100, 0]]) + rng.normal(size=3)
    row = np.array([[0.0, 0, 200], [10, 0, 200], [21, 0, 200], [33, 0, 200]]) + rng.normal(size=3)
    points = np.concatenate([rng.normal(centre, 0.4, (550, 3)) for centre in (*centres, *row)])
    pair = [centres[2] - [1, 0, 0], centres[3] + [1, 0, 0]]
    start = np.stack([(centres[0] + centres[1]) / 2, *pair, row[0], row[0] + [4, 0, 0]])
    return rng.permutation(points), start


def _expect_agreement(exam: Examination, agreement: Any) -> None:
    for k, spread in ((3, 0.3), (5, 1.0), (4, 0.0)):
        points = exam.rng.normal(size=(400, 3))
        library = exam.rng.normal(size=(k, 3))
        mine = exam.rng.permutation(library + exam.rng.normal(0, 1, (k, 3)) * spread)
        for one, other in ((mine, library), (library, mine)):
            difference, ari = _two_numbers(exam, exam.call(agreement, points.copy(), one.copy(), other.copy()))
            true = inertia_of(points, one) / inertia_of(points, other) - 1
            exam.expect(
                "difference is (inertia of mine − inertia of library) / inertia of library, with its sign",
                abs(difference - true) < 1e-6,
                f"{difference:+.4%}, expected {true:+.4%}",
            )
            true = _ari(points, one, other)
            exam.expect(
                "ari is the adjusted Rand index of the two groupings, whatever their labels",
                abs(ari - true) < 1e-6,
                f"{ari:.4f}, expected {true:.4f}",
            )


def _two_numbers(exam: Examination, result: Any) -> tuple[float, float]:
    found = tuple(result) if isinstance(result, np.ndarray) and result.ndim else result
    difference, ari = several(exam, found, "difference", "ari")
    return number(exam, difference, "difference"), number(exam, ari, "ari")


def _ari(points: Floats, one: Floats, other: Floats) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(*(squared_distances(points, c).argmin(axis=1) for c in (one, other))))


# The recoloured picture.


MOST_PER_PIXEL, AROUND = 3, 2000
"""Bytes that may travel for each pixel, and around each block of them."""

REST = 4.0
"""So far a colour may be from the mean of its pixels: it is rounded, and the loop stops within its tolerance."""


@exercise("06.10", "recolour", "pictures")
def check_recolour(exam: Examination, recolour: Any, pictures: Any) -> None:
    """Each pixel gets the colour of its nearest centroid; each picture has exactly k colours."""
    for k, count in ((5, 3), (3, 1)):
        centroids = _distinct_colours(exam, k)
        pixels = np.clip(centroids[exam.rng.integers(0, k, 4001)] + exam.rng.normal(0, 0.1, (4001, 3)), 0, 1)
        parts = on_workers(exam.client, pixels, unequal_sizes(exam.rng, len(pixels), count))
        with Traffic(exam.client) as traffic:
            image = exam.call(recolour, exam.client, parts, centroids.copy())
        _expect_colours(exam, np.asarray(image), pixels, centroids)
        exam.expect(
            f"At most {MOST_PER_PIXEL} bytes per pixel leave the workers (a label fits into one)",
            traffic.bytes < MOST_PER_PIXEL * len(pixels) + AROUND * count,
            f"{traffic.bytes:,} bytes left them, {traffic.bytes / len(pixels):.1f} per pixel",
        )
    _expect_pictures(exam, pictures)


def _distinct_colours(exam: Examination, k: int) -> Floats:
    grid = np.stack(np.meshgrid(*[[0.1, 0.5, 0.9]] * 3), axis=-1).reshape(-1, 3)
    chosen: Floats = exam.rng.permutation(grid)[:k] + exam.rng.uniform(-0.05, 0.05, (k, 3))
    return chosen


def _expect_colours(exam: Examination, image: Any, pixels: Floats, centroids: Floats) -> None:
    n = len(pixels)
    exam.require("There is one colour (red, green, blue) per pixel", image.shape == (n, 3), f"shape {image.shape}")
    exam.require("Colours are 8-bit numbers from 0 to 255", image.dtype == np.uint8, f"dtype {image.dtype}")
    found = len(np.unique(image, axis=0))
    exam.expect("There are exactly k distinct colours", found == len(centroids), f"{found} for k = {len(centroids)}")
    nearest = centroids[squared_distances(pixels, centroids).argmin(axis=1)]
    off = np.abs(image.astype(float) - nearest * 255).max(axis=1)
    exam.expect(
        "Each pixel has the colour of its nearest centroid, in the order of the photo",
        (off <= 1).all(),
        f"{(off <= 1).sum()} of {n} pixels",
    )
    rounded = (off <= 0.5 + 1e-9) | (off > 1)
    exam.expect(
        "Colours are rounded to the nearest integer, not truncated",
        rounded.all(),
        f"{(~rounded).sum()} of {n} pixels are off by more than half a step",
    )


def _expect_pictures(exam: Examination, pictures: Any) -> None:
    is_dict = isinstance(pictures, dict)
    exam.require("pictures is a dictionary {k: image}", is_dict, describe(pictures))
    exam.require("It has the pictures for k = 4, 8 and 16", set(pictures) == {4, 8, 16}, f"it has {sorted(pictures)}")
    photo = load_photo()
    for k, picture in pictures.items():
        image = np.asarray(picture)
        is_image = image.ndim == 3 and image.shape[2] == 3 and image.dtype == np.uint8
        exam.require("Each picture is an array of height × width × 3 8-bit numbers", is_image,
                     f"shape {image.shape}, dtype {image.dtype} for k = {k}")  # fmt: skip
        exam.require("Each picture has the shape of the photo", image.shape == photo.shape,
                     f"{image.shape} for k = {k}; the photo has {photo.shape}")  # fmt: skip
        _expect_own_colours(exam, photo.reshape(-1, 3), image.reshape(-1, 3), k)
        found = len(distinct_colours(image)[0])
        exam.expect(
            f"The picture for k = {k} has exactly {k} distinct colours",
            found == k,
            f"{found} colours; as PNG {png_bytes(image) / 1000:,.0f} kB",
        )


def _expect_own_colours(exam: Examination, photo: Any, image: Any, k: int) -> None:
    """Expect k-means: each pixel has the nearest colour, and each colour is the mean of its pixels."""
    palette, labels, counts = np.unique(image, axis=0, return_inverse=True, return_counts=True)
    points, labels = photo.astype(float), labels.ravel()
    chosen = exam.rng.choice(len(points), 4000, replace=False)
    distances = squared_distances(points[chosen], palette.astype(float))
    # A colour was rounded: where two are nearly as near, either is right.
    near = np.sqrt(distances[np.arange(len(chosen)), labels[chosen]]) <= np.sqrt(distances.min(axis=1)) + 2
    exam.expect(
        f"In the picture for k = {k}, each pixel of the photo has the nearest of the {k} colours",
        near.all(),
        f"{near.sum():,} of {len(near):,} pixels that were looked at",
    )
    sums = np.stack([np.bincount(labels, points[:, channel], len(palette)) for channel in range(3)], axis=1)
    off = float(np.abs(sums / counts[:, None] - palette).max())
    exam.expect(
        f"Each colour of the picture for k = {k} is the mean of its pixels: k-means has converged",
        off < REST,
        f"the largest difference is {off:.1f} of 255",
    )
