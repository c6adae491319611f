"""The checks of lesson 06."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...answers import Floats, on_workers, several
from ...checks import exercise
from ...examination import Examination, Halt, describe
from ...material.conversion import as_numpy
from ...probes.transfers import Traffic

# K-means in one process, which is always right, and what is expected of every other one.


def squared_distances(points: Floats, centroids: Floats) -> Floats:
    """Squared distance of each point to each centroid, one centroid at a time."""
    return np.stack([((points - centroid) ** 2).sum(axis=1) for centroid in centroids], axis=1)


def unequal_sizes(rng: np.random.Generator, total: int, count: int) -> list[int]:
    """Cut a number into parts of clearly different size."""
    weights = 1.6 ** np.arange(count)
    sizes = np.maximum(1, (total * rng.permutation(weights) / weights.sum()).astype(int))
    sizes[sizes.argmax()] += total - sizes.sum()
    return [int(size) for size in sizes]


def serial_lloyd(points: Floats, start: Floats, tolerance: float, limit: int) -> Floats:
    """Plain k-means in one process; an empty cluster keeps its centroid."""
    centroids = start
    for _ in range(limit):
        labels = squared_distances(points, centroids).argmin(axis=1)
        new = np.stack(
            [points[labels == j].mean(axis=0) if (labels == j).any() else centroids[j] for j in range(len(start))]
        )
        moved = np.abs(new - centroids).max()
        centroids = new
        if moved <= tolerance:
            break
    return centroids


def inertia_of(points: Floats, centroids: Floats) -> float:
    """Sum of the squared distances of the points to their nearest centroid."""
    return float(squared_distances(points, centroids).min(axis=1).sum())


def largest_gap(found: Floats, true: Floats) -> float:
    """Largest difference between two sets of centroids, in whatever order they are."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(squared_distances(found, true))
    return float(np.abs(found[rows] - true[columns]).max())


def largest_moves(path: list[Floats]) -> Floats:
    """Largest movement of a coordinate in each step."""
    return np.array([np.abs(new - old).max() for old, new in pairwise(path)])


def telling_tolerances(points: Floats, start: Floats, limit: int) -> list[float]:
    """Return tolerances at which another rule than the largest movement would stop at another step.

    One is so large that the first step is the last, whatever the points; who ignores it goes on. At the others, where
    the points allow it, the mean movement and the length of a centroid's way stop elsewhere.
    """
    path = [start]
    for _ in range(limit):
        path.append(serial_lloyd(points, path[-1], 0.0, 1))
    moves = largest_moves(path)
    differences = np.abs(np.diff(np.array(path), axis=0))
    found = [2 * float(moves[0])]
    for other in (differences.mean(axis=(1, 2)), np.sqrt((differences**2).sum(axis=2)).max(axis=1)):
        for step in range(1, limit):
            tolerance = float(np.sqrt(moves[step] * other[step]))
            near = (np.abs(moves - tolerance) < 1e-3 * tolerance).any()  # rounding must not decide
            if tolerance > 0 and not near and (moves <= tolerance).argmax() != (other <= tolerance).argmax():
                found.append(tolerance)
                break
    return found


def expect_stop(exam: Examination, path: list[Floats], tolerance: float) -> None:
    """Expect that the last step is the first one within the tolerance."""
    moves = largest_moves(path)
    early = int((moves[:-1] <= tolerance).sum())
    exam.expect(
        "It stops after the first step in which no coordinate moves by more than tolerance",
        moves[-1] <= tolerance and early == 0,
        f"with tolerance {tolerance:.3g}, the last of {len(moves)} steps moves a coordinate by {moves[-1]:.3g}, "
        f"and {counted(early, 'earlier step')} stayed within",
    )


def hard_options(rng: np.random.Generator, points: Floats, start: Floats) -> tuple[Floats, int]:
    """Return a start with a centroid that never gets a point, and fewer iterations than it takes to come to rest."""
    lonely = start.copy()
    lonely[int(rng.integers(len(start)))] += 1e4
    made, centroids, before = 0, lonely, None
    while before is None or not np.array_equal(centroids, before):
        before, centroids, made = centroids, serial_lloyd(points, centroids, 0.0, 1), made + 1
    return lonely, int(rng.integers(1, made))


def expect_limit(exam: Examination, made: int, most: int) -> None:
    """No more iterations than allowed, and no fewer where nothing has come to rest."""
    exam.expect("It makes at most max_iterations iterations", made == most, f"{made} of max_iterations = {most}")


def expect_empty(exam: Examination, found: Floats, start: Floats) -> None:
    """Find the centroid that is far from all points where it was at the start."""
    lonely = int(np.abs(start).sum(axis=1).argmax())
    moved = float(np.abs(found[lonely] - start[lonely]).max())
    exam.expect("A centroid without points stays where it is", moved == 0, f"it moved by {moved:.3g}")


def read_path(exam: Examination, result: Any, start: Floats) -> tuple[list[Floats], Floats]:
    """Return the centroids before the first and after each iteration, and the inertias, or end the examination."""
    centroids, values = several(exam, result, "path", "inertias")
    try:
        path = [np.asarray(one, dtype=float) for one in centroids]
        inertias = np.asarray([float(np.asarray(value).reshape(())) for value in values])
    except (TypeError, ValueError):
        exam.require("path is a list of centroids, inertias a list of numbers", False, "something else")
        raise Halt from None
    right = len(path) > 1 and all(one.shape == start.shape for one in path)
    exam.require("Each entry of path has one row per centroid", right, f"{len(path)} entries; the last has shape "
                 f"{path[-1].shape if path else '(none)'}, the start {start.shape}")  # fmt: skip
    exam.require(
        "There is one inertia per iteration: one less than entries in path",
        len(inertias) == len(path) - 1,
        f"{len(inertias)} inertias, {len(path)} entries in path",
    )
    finite = bool(np.isfinite(inertias).all() and all(np.isfinite(one).all() for one in path))
    exam.require("All numbers are finite", finite, "all are" if finite else "some are not: was something divided by 0?")
    return path, inertias


# The steps in order, and those of one block: nearest centroid, partial results, the mean of means.


@exercise("06.1", "order")
def check_steps(exam: Examination, order: Any) -> None:
    """Any order in which each step comes after those it needs."""
    from ...study.ordering import check_order

    check_order(exam, "06.1", order)


@exercise("06.2", "assign")
def check_assign(exam: Examination, assign: Any) -> None:
    """Labels are those of brute force; no n × k × d array is built."""
    # The last has more centroids than a byte counts.
    shapes = [(7, 3, 2), (60, 1, 4), (1, 4, 3), (90, 90, 6), (500, 8, 1), (400, 5, 3), (900, 300, 2)]
    for n, k, d in shapes:
        points = exam.rng.normal(exam.rng.uniform(-3, 3), 1, (n, d))
        centroids = exam.rng.normal(0, 2, (k, d))
        given = points.copy(), centroids.copy()
        _expect_nearest(exam, *given, exam.call(assign, points, centroids))
    for half, away in ((4e-5, 1.0), (4e-5, 1.0), (10.0, 1e-9)):
        _expect_fine(exam, assign, half, away)
    n, k, d = 20_000, 20, 20  # a loop over the centroids holds a few arrays of n × d, far less than half of n × k × d
    points, centroids = exam.rng.normal(size=(n, d)), exam.rng.normal(size=(k, d))
    whole = n * k * d * 8
    _, peak = exam.measured(exam.call, assign, points, centroids)
    exam.expect(
        "Memory stays below half the size of an array of n × k × d numbers",
        peak < whole / 2,
        f"peak {peak / 1e6:.1f} MB for n = {n:,}, k = {k}, d = {d}; n × k × d numbers have {whole / 1e6:.1f} MB",
    )


def _expect_fine(exam: Examination, assign: Any, half: float, away_most: float) -> None:
    """Pairs of centroids that only double precision can tell apart, far from zero: fewer digits choose wrong ones.

    They are ``2 * half`` apart, and points are about ``away_most`` halves away from the middle.
    """
    pairs, each = 8, 25
    centres = 500 + 50 * np.arange(pairs)[:, None] + exam.rng.uniform(0, 9, (pairs, 3))
    sides = exam.rng.normal(size=(pairs, 3))
    sides *= half / np.linalg.norm(sides, axis=1, keepdims=True)
    centroids = np.stack([centres + sides, centres - sides], axis=1).reshape(-1, 3)
    nearest = exam.rng.integers(0, len(centroids), pairs * each)
    pair = nearest // 2
    away = np.where(nearest % 2 == 0, 1, -1) * away_most * exam.rng.uniform(0.6, 1.4, len(nearest))
    points = centres[pair] + away[:, None] * sides[pair]
    labels = np.asarray(exam.call(assign, points.copy(), centroids.copy()))
    right = int((labels == nearest).sum()) if labels.shape == nearest.shape else 0
    exam.expect(
        "float64 points are compared in float64, even for two almost equal centroids",
        right == len(nearest),
        f"{right} of {len(nearest)} points",
    )


def _expect_nearest(exam: Examination, points: Floats, centroids: Floats, labels: Any) -> None:
    n, k = len(points), len(centroids)
    try:
        labels = np.asarray(labels)
    except (TypeError, ValueError):
        labels = np.empty(0)
    exam.require(
        "There is one label per point", labels.shape == (n,), f"shape {labels.shape} for {n} points, {k} centroids"
    )
    exam.require("Labels are whole numbers", labels.dtype.kind in "iu", f"dtype {labels.dtype}")
    inside = bool(((labels >= 0) & (labels < k)).all())
    exam.require("Labels run from 0 to k − 1", inside, f"{labels.min()} to {labels.max()} for k = {k}")
    distances = squared_distances(points, centroids)
    own = distances[np.arange(n), labels]
    # Two centroids may be equally near: either is right, up to rounding.
    right = own <= distances.min(axis=1) * (1 + 1e-9) + 1e-12
    exam.expect(
        "Each point gets its nearest centroid",
        right.all(),
        f"{right.sum()} of {n} points (d = {points.shape[1]}, k = {k})",
    )


@exercise("06.3", "partial")
def check_partial(exam: Examination, partial: Any) -> None:
    """Partial results are right for one block and add up over any split."""
    # The last case has more points per centroid than small whole numbers count to.
    for n, k, d in [(1, 3, 4), (12, 12, 2), (50, 7, 5), (300, 4, 3), (70_000, 3, 2)]:
        points = exam.rng.normal(5, 2, (n, d))
        centroids = exam.rng.normal(5, 2, (k, d))
        labels = exam.rng.integers(0, max(1, k - 1), n)  # the last centroid has no points
        whole = _parts_of(exam, partial, points, labels, centroids)
        _expect_block(exam, points, labels, centroids, whole)
        if n < 3:
            continue
        cut = int(exam.rng.integers(1, n - 1))
        first = _parts_of(exam, partial, points[:cut], labels[:cut], centroids)
        second = _parts_of(exam, partial, points[cut:], labels[cut:], centroids)
        gaps = [np.abs(a + b - c).max() for a, b, c in zip(first, second, whole, strict=True)]
        for name, gap in zip(("sums", "counts", "inertias"), gaps, strict=True):
            exam.expect(
                f"The {name} of two parts add up to those of the whole",
                gap < 1e-8 * max(1, n),
                f"largest difference {gap:.3g} when {n} points are cut at {cut}",
            )


def _parts_of(exam: Examination, partial: Any, points: Floats, labels: Any, centroids: Floats) -> list[Floats]:
    result = exam.call(partial, points.copy(), labels.copy(), centroids.copy())
    k, d = centroids.shape
    parts = several(exam, result, "sums", "counts", "inertia")
    try:
        sums, counts, inertia = (np.asarray(item, dtype=float) for item in parts)
    except (TypeError, ValueError):
        exam.require("They are numbers", False, "something that is not an array of numbers")
        raise Halt from None
    exam.require("sums has one row per centroid and one column per feature", sums.shape == (k, d),
                 f"shape {sums.shape} for k = {k}, d = {d}")  # fmt: skip
    exam.require("counts has one number per centroid, even for one without points", counts.shape == (k,),
                 f"shape {counts.shape} for k = {k}")  # fmt: skip
    exam.require("inertia is one number", inertia.ndim == 0, f"shape {inertia.shape}")
    return [sums, counts, inertia]


def _expect_block(exam: Examination, points: Floats, labels: Any, centroids: Floats, whole: list[Floats]) -> None:
    sums, counts, inertia = whole
    n = len(points)
    exam.expect("Each point is counted once", counts.sum() == n, f"counts sum to {counts.sum():g} for {n} points")
    right = np.array_equal(counts, np.bincount(labels, minlength=len(centroids)))
    exam.expect("Each point counts for its own centroid", right, "all" if right else "some are not")
    total = np.abs(sums.sum(axis=0) - points.sum(axis=0)).max()
    exam.expect("The sums add up to the sum of all points", total < 1e-8 * n, f"largest difference {total:.3g}")
    own = np.zeros_like(centroids)
    for label, point in zip(labels, points, strict=True):
        own[label] += point
    gap = np.abs(own - sums).max()
    exam.expect("Each point is added to the row of its own centroid", gap < 1e-8 * n, f"largest difference {gap:.3g}")
    true = float(((points - centroids[labels]) ** 2).sum())
    exam.expect(
        "Inertia is the sum of the squared distances of the points to their own centroid",
        np.isclose(inertia, true, rtol=1e-9),
        "equal" if np.isclose(inertia, true, rtol=1e-9) else f"{float(inertia) / true:.4g} times that sum",
    )


@exercise("06.4", "counter_example")
def check_counter_example(exam: Examination, parts: Any) -> None:
    """The mean of the parts' means differs from the mean of all points by more than 1 %."""
    blocks = _as_blocks(exam, parts)
    exam.require("There are at least two parts", len(blocks) > 1, f"{counted(len(blocks), 'part')}")
    exam.require("No part is empty", all(len(block) for block in blocks), f"sizes {[len(block) for block in blocks]}")
    widths = {block.shape[1] for block in blocks}
    exam.require("All points have the same number of features", len(widths) == 1, f"{sorted(widths)} features")
    everything = np.concatenate(blocks)
    exam.require("All values are finite", np.isfinite(everything).all(), "some are not")
    scale, true = np.abs(everything).max(), everything.mean(axis=0)
    size = float(np.linalg.norm(true))
    means = np.stack([block.mean(axis=0) for block in blocks])
    off = float(np.linalg.norm(means.mean(axis=0) - true))
    # Where the mean of all points is zero, any difference is more than 1 % of it, but not one that rounding makes.
    away = f"{off / size:.1%} away" if size > 1e-9 * scale else f"{off:.3g} away from a mean of 0"
    exam.expect(
        "The mean of the parts' means is more than 1 % away from the mean of all points",
        off > max(0.01 * size, 1e-9 * scale),
        f"{away}, with parts of {' and '.join(str(len(block)) for block in blocks[:6])} points",
    )


def _as_blocks(exam: Examination, parts: Any) -> list[Floats]:
    exam.require("parts is a list of arrays", isinstance(parts, (list, tuple, np.ndarray)), describe(parts))
    blocks = []
    for part in parts:
        try:
            block = np.asarray(part, dtype=float)
        except (TypeError, ValueError):
            exam.require("Each part is an array of numbers", False, f"one is {str(part)[:40]!r}")
            raise Halt from None
        exam.require("Each part has one row per point", block.ndim in (1, 2), f"a part with {block.ndim} dimensions")
        blocks.append(block[:, None] if block.ndim == 1 else block)
    return blocks


# The distributed loop.


@exercise("06.5", "kmeans")
def check_kmeans(exam: Examination, kmeans: Any) -> None:
    """The loop converges to the serial result, however the points are cut, and leaves them where they are."""
    k, d, n, tolerance, limit = 4, 3, 6000, 1e-9, 40
    centres = exam.rng.permutation(np.array([[0, 0, 0], [6, 0, 1], [0, 7, 2], [6, 6, 9]])) + exam.rng.normal(size=3)
    points = np.concatenate([exam.rng.normal(centre, 1.2, (n // k, d)) for centre in centres])
    # Neighbours in space are neighbours in the file, as in a photo: parts are not alike.
    points = points[np.argsort(points @ exam.rng.normal(size=d))]
    start = np.ascontiguousarray(centres + exam.rng.normal(0, 1.5, (k, d)))
    true = serial_lloyd(points, start, tolerance, limit)
    for count in (1, 2, 3, 7):
        sizes = unequal_sizes(exam.rng, n, count)
        parts = on_workers(exam.client, points, sizes)
        with Traffic(exam.client) as traffic:
            path, inertias = _run(exam, kmeans, parts, start.copy(), tolerance, limit)
        _expect_run(exam, points, path, inertias, start)
        gap = largest_gap(path[-1], true)
        exam.expect(
            "The centroids equal those of a serial loop, for 1, 2, 3 or 7 parts",
            gap < 1e-8,
            f"largest difference {gap:.2g} with {counted(count, 'part')} of {sizes} points",
        )
        share = traffic.bytes / points.nbytes
        exam.expect(
            "The points stay on the workers: only small results travel",
            share < 0.5,
            f"{traffic.bytes:,} bytes left in {len(inertias)} iterations; the points have {points.nbytes:,}",
        )
        if not exam.passed:
            return  # one way to cut the points is enough to show what is wrong
    parts = on_workers(exam.client, points, unequal_sizes(exam.rng, n, 2))
    for tolerance in telling_tolerances(points, start, limit):
        path, _ = _run(exam, kmeans, parts, start.copy(), tolerance, limit)
        expect_stop(exam, path, tolerance)
    # All centroids begin above where they go: who looks at movements with their sign stops after the first step.
    path, _ = _run(exam, kmeans, parts, true + 0.4, 0.05, limit)
    expect_stop(exam, path, 0.05)
    _expect_options(exam, kmeans, parts, points, start)


def _expect_options(exam: Examination, kmeans: Any, parts: list[Any], points: Floats, start: Floats) -> None:
    """Few iterations are allowed, and one centroid is so far away that it never gets a point."""
    lonely, most = hard_options(exam.rng, points, start)
    path, inertias = _run(exam, kmeans, parts, lonely.copy(), 0.0, most)
    expect_limit(exam, len(inertias), most)
    expect_empty(exam, path[-1], lonely)
    gap = largest_gap(path[-1], serial_lloyd(points, lonely, 0.0, most))
    exam.expect("The other centroids are updated as usual", gap < 1e-8, f"largest difference {gap:.2g}")
    _expect_step(exam, kmeans, points, start)


def _expect_step(exam: Examination, kmeans: Any, points: Floats, start: Floats) -> None:
    """The given step runs on each block separately, where the block is."""
    sizes = unequal_sizes(exam.rng, len(points), 5)
    parts = on_workers(exam.client, points, sizes)
    exam.client.run(_forget_tasks)
    _, inertias = _run(exam, partial(kmeans, step=squares_step), parts, start.copy(), 0.0, 1)
    true = float(sum(size**2 for size in sizes))
    exam.expect(
        "It uses the given step, on each block separately",
        inertias[0] == true,
        "it does" if inertias[0] == true else f"a step that returns {true:g} in all gave {inertias[0]:g}",
    )
    tasks = set().union(*exam.client.run(_task_names).values())
    exam.expect("Each block has its own task", len(tasks) == len(parts), f"{len(tasks)} tasks, {len(parts)} blocks")


_tasks: dict[str, None] = {}


def _forget_tasks() -> None:
    _tasks.clear()


def _task_names() -> set[str]:
    return set(_tasks)


def squares_step(block: Any, centroids: Any) -> tuple[Floats, Floats, float]:
    """Return sums and counts, and instead of the inertia a number that shows how the points were cut."""
    from distributed import get_worker

    _tasks[str(get_worker().get_current_task())] = None
    points, centroids = as_numpy(block), as_numpy(centroids)
    own = np.eye(len(centroids))[squared_distances(points, centroids).argmin(axis=1)]
    return own.T @ points, own.sum(axis=0), float(len(points) ** 2)


def _run(exam: Examination, kmeans: Any, parts: list[Any], start: Floats, *rest: Any) -> tuple[list[Floats], Floats]:
    return read_path(exam, exam.call(kmeans, exam.client, parts, start, *rest), start)


def _expect_run(exam: Examination, points: Floats, path: list[Floats], inertias: Floats, start: Floats) -> None:
    off = float(np.abs(path[0] - start).max())
    exam.expect("path starts with the initial centroids", off < 1e-12, f"off by {off:.3g}")
    rise = float((np.diff(inertias) / inertias[:-1]).max()) if len(inertias) > 1 else 0.0
    exam.expect("The inertia never rises", rise < 1e-9, f"largest rise {max(0.0, rise):.2%}")
    # First and last stand for all: brute force for each iteration would cost seconds.
    for position in (0, len(inertias) - 1):
        ratio = inertias[position] / inertia_of(points, path[position])
        exam.expect(
            "inertias[i] is the inertia of path[i] over all points",
            abs(ratio - 1) < 1e-9,
            f"equal for i = {position}" if abs(ratio - 1) < 1e-9 else f"{ratio:.6g} times that, for i = {position}",
        )
    step = float(np.abs(serial_lloyd(points, path[-1], 0.0, 1) - path[-1]).max())
    exam.expect("It continues until the centroids stop moving", step < 1e-6, f"one more step moves one by {step:.3g}")


# Clusters that have lost all their points.


@exercise("06.7", "update")
def check_update(exam: Examination, update: Any) -> None:
    """Means where there are points, far points where there are none, and never NaN."""
    for k, empty, far in [(5, 2, 5), (6, 3, 3), (4, 3, 1), (3, 2, 0), (7, 0, 4), (4, 4, 4)]:
        _expect_one_update(exam, update, k, empty, far)
    if exam.passed:
        _expect_loop(exam, update)


def _expect_one_update(exam: Examination, update: Any, k: int, empty: int, far: int) -> None:
    d = 3
    centroids, far_points = exam.rng.normal(size=(k, d)), exam.rng.normal(5, 2, (far, d))
    counts = exam.rng.integers(1, 9, k)
    counts[exam.rng.permutation(k)[:empty]] = 0
    counts[np.flatnonzero(counts)[:1]] = 1  # one point is enough for a mean
    sums = exam.rng.normal(3, 2, (k, d)) * counts[:, None]
    new = _call(exam, update, sums.copy(), counts.copy(), centroids.copy(), far_points.copy())
    used, case = counts > 0, f"{empty} of {k} clusters are empty, {far} far points"
    exam.expect("No number is NaN or infinite", np.isfinite(new).all(), case)
    means = sums[used] / counts[used, None]
    gap = float(np.abs(new[used] - means).max()) if used.any() else 0.0
    exam.expect("A cluster with points gets their mean", gap < 1e-12, f"largest difference {gap:.3g}; {case}")
    wanted = min(empty, far)
    moved = sorted(map(tuple, new[~used][(new[~used] != centroids[~used]).any(axis=1)]))
    exam.expect(
        "Each empty cluster gets its own far point, the farthest (the first) ones first",
        moved == sorted(map(tuple, far_points[:wanted])),
        f"{len(moved)} of {empty} empty clusters moved; {case}",
    )
    stayed = int((new[~used] == centroids[~used]).all(axis=1).sum())
    exam.expect("An empty cluster without a far point stays where it is", stayed == empty - wanted,
                f"{stayed} stayed; {case}")  # fmt: skip


def _expect_loop(exam: Examination, update: Any) -> None:
    """More centroids than distinct points, most of them at the same place at first."""
    k, distinct, d = 7, 5, 2
    places = exam.rng.normal(0, 4, (distinct, d))
    points = np.repeat(places, exam.rng.integers(2, 6, distinct), axis=0)
    centroids = np.repeat(places[:1], k, axis=0)
    inertias = []
    for _ in range(2 * k):
        distances = squared_distances(points, centroids)
        labels, own = distances.argmin(axis=1), distances.min(axis=1)
        inertias.append(float(own.sum()))
        counts = np.bincount(labels, minlength=k)
        sums = np.zeros((k, d))
        np.add.at(sums, labels, points)
        centroids = _call(exam, update, sums, counts, centroids.copy(), points[np.argsort(-own)])
    case = f"{k} centroids, {distinct} distinct points"
    exam.expect("k-means with your rule gives no NaN when k > distinct points", np.isfinite(centroids).all(), case)
    rise = float(np.diff(inertias).max())
    exam.expect("k-means with your rule never lets the inertia rise", rise < 1e-9, f"largest rise {max(0, rise):.3g}")
    exam.expect("At the end, each distinct point has a centroid", inertias[-1] < 1e-9,
                f"inertia {inertias[-1]:.3g}; {case}")  # fmt: skip


def _call(exam: Examination, update: Any, sums: Floats, counts: Any, centroids: Floats, far_points: Floats) -> Floats:
    result = exam.call(update, sums, counts, centroids, far_points)
    try:
        new = np.array(result, dtype=float)
    except (TypeError, ValueError):
        exam.require("It returns an array of numbers", False, "something else")
        raise Halt from None
    exam.require("There is one row per centroid", new.shape == centroids.shape, f"shape {new.shape}")
    return new


# First centroids from a few random rounds over all points: k-means||.


REPEATS = 300


@exercise("06.8", "draw", "first_centroids")
def check_seeding(exam: Examination, draw: Any, first_centroids: Any) -> None:
    """Points are drawn on their own and in proportion; the centroids they lead to are good."""
    _expect_draw(exam, draw)
    if exam.passed:
        _expect_first(exam, first_centroids)
    if exam.passed:
        _expect_rounds(exam, first_centroids)


def _expect_draw(exam: Examination, draw: Any) -> None:
    n, d = 120, 2
    block = np.concatenate([exam.rng.normal(0, 1, (n // 2, d)), exam.rng.normal(6, 1, (n // 2, d))])
    candidates = np.concatenate([block[:2], exam.rng.normal(0, 1, (1, d))])
    squared = squared_distances(block, candidates).min(axis=1)
    base = int(exam.rng.integers(1 << 30))
    # Of a block with a small share of the cost, most draws are empty: who draws a fixed number is found out.
    for wanted, share in ((8, 0.6), (2, 0.15)):
        cost = float(squared.sum()) / share
        times, sizes = np.zeros(n), []
        for repeat in range(REPEATS):
            rows = _drawn(exam, draw, block, candidates, wanted, cost, base + repeat)
            where = _rows_of(exam, rows, block)
            times[where] += 1
            sizes.append(len(rows))
        true = np.minimum(1, wanted * squared / cost)
        mean, expected = float(np.mean(sizes)), float(true.sum())
        slack = 6 * float(np.sqrt((true * (1 - true)).sum() / REPEATS))
        exam.expect(
            "On average, a block gives wanted × (its share of the cost) points",
            abs(mean - expected) < slack,
            f"{mean:.2f} points in {REPEATS} draws; expected {expected:.2f} ± {slack:.2f}",
        )
        exam.expect("A candidate is never drawn again: its distance is 0", times[:2].sum() == 0,
                    f"{times[:2].sum():.0f} times")  # fmt: skip
        far = squared > np.median(squared)
        part, true_part = times[far].sum() / max(1, times.sum()), float(true[far].sum() / true.sum())
        slack = 6 * np.sqrt(true_part * (1 - true_part) / max(1.0, times.sum())) + 0.02
        exam.expect(
            "A point's probability grows with its squared distance to the nearest candidate",
            abs(part - true_part) < slack,
            f"{part:.0%} of the drawn points are of the farther half; expected {true_part:.0%}",
        )
    first = _drawn(exam, draw, block, candidates, 8, float(squared.sum()), base)
    again = _drawn(exam, draw, block, candidates, 8, float(squared.sum()), base)
    exam.expect("The same seed draws the same points", np.array_equal(first, again), f"{len(first)} and {len(again)}")


def _drawn(exam: Examination, draw: Any, block: Floats, candidates: Floats, *rest: Any) -> Floats:
    rows = np.asarray(exam.call(draw, block.copy(), candidates.copy(), *rest), dtype=float)
    good = rows.ndim == 2 and rows.shape[1] == block.shape[1]
    exam.require("It returns points, one per row; perhaps none: an array of 0 × d", good, f"shape {rows.shape}")
    return rows


def _rows_of(exam: Examination, rows: Floats, block: Floats) -> Any:
    known = {row.tobytes(): index for index, row in enumerate(block)}
    where = [known.get(np.ascontiguousarray(row).tobytes()) for row in rows]
    exam.require("The drawn points are points of the block", None not in where, f"{where.count(None)} are not")
    exam.require("No point is drawn twice at once", len(set(where)) == len(where), f"{len(where)} rows")
    return where


def _expect_first(exam: Examination, first_centroids: Any) -> None:
    k, n, d = 6, 4000, 3
    centres = 25 * np.stack(np.meshgrid(*[[0, 1, 2]] * d), axis=-1).reshape(-1, d)[exam.rng.permutation(3**d)[:k]]
    # Groups of very different size: a random start rarely has a point in each.
    sizes = unequal_sizes(exam.rng, n, k)
    points = np.concatenate([exam.rng.normal(c, 1.0, (size, d)) for c, size in zip(centres, sizes, strict=True)])
    parts = on_workers(exam.client, points, unequal_sizes(exam.rng, n, 3))
    seed = int(exam.rng.integers(1 << 30))
    with Traffic(exam.client) as traffic:
        result = exam.call(first_centroids, exam.client, parts, k, seed)
    try:
        centroids, candidates = (
            np.asarray(item, dtype=float) for item in several(exam, result, "centroids", "candidates")
        )
    except (TypeError, ValueError):
        exam.require("Both are arrays of numbers", False, "something else")
        raise Halt from None
    exam.require("There are k centroids", centroids.shape == (k, d), f"shape {centroids.shape} for k = {k}, d = {d}")
    exam.require("All numbers are finite", np.isfinite(centroids).all(), "some are not")
    expected = 1 + 5 * 2 * k
    exam.require("candidates has one row per candidate", candidates.ndim == 2 and candidates.shape[1] == d,
                 f"shape {candidates.shape}")  # fmt: skip
    exam.expect(
        f"About five rounds of 2 k = {2 * k} points each give about {expected} candidates (half to twice that)",
        0.4 * expected < len(candidates) < 2 * expected,
        f"{len(candidates)} candidates",
    )
    known = {row.tobytes() for row in points}
    mine = sum(np.ascontiguousarray(row).tobytes() in known for row in candidates)
    exam.expect("All candidates are points of the data", mine == len(candidates), f"{mine} of {len(candidates)}")
    _expect_weighted(exam, points, centroids, candidates)
    for other in (seed, seed + 1):
        drawn = np.asarray(as_numpy(exam.call(first_centroids, exam.client, parts, k, other)[1]), dtype=float)
        same = np.array_equal(np.unique(drawn, axis=0), np.unique(candidates, axis=0))
        exam.expect(
            "The same seed gives the same candidates, another seed others",
            same == (other == seed),
            f"{'the same' if same else 'others'} with {'the same' if other == seed else 'another'} seed",
        )
    starts = [inertia_of(points, points[exam.rng.permutation(n)[:k]]) for _ in range(5)]
    ratio = inertia_of(points, centroids) / float(np.median(starts))
    exam.expect("Their inertia is below the median of five random starts", ratio < 1, f"{ratio:.3g} times that median")
    share = traffic.bytes / points.nbytes
    exam.expect("The points stay on the workers", share < 0.5,
                f"{traffic.bytes:,} bytes left the workers, the points have {points.nbytes:,}")  # fmt: skip


def _expect_rounds(exam: Examination, first_centroids: Any) -> None:
    """Some groups are small, and each is so far away that nearly all of the cost is its own until it has a candidate.

    So each round finds the farthest group that is left, and three rounds are the fewest that find all.
    """
    many, few, places = 600, 20, (0.0, 50.0, 2500.0, 125_000.0)
    points = np.concatenate([exam.rng.normal(place, 1.0, (few if place else many, 2)) for place in places])
    group = np.repeat(np.arange(4), [many, few, few, few])
    parts = on_workers(exam.client, points, [many - 100, 130, 30])
    result = exam.call(first_centroids, exam.client, parts, 4, int(exam.rng.integers(1 << 30)))
    candidates = np.asarray(several(exam, result, "centroids", "candidates")[1], dtype=float)
    found = {int(group[squared_distances(points, row[None]).argmin()]) for row in candidates}
    exam.expect(
        "Each round recomputes the cost: small groups at very different distances all get a candidate",
        len(found) == 4,
        f"candidates in {len(found)} of 4 groups",
    )


def _expect_weighted(exam: Examination, points: Floats, centroids: Floats, candidates: Floats) -> None:
    """The last step has come to rest where each candidate counts as often as points are nearest to it."""
    weights = np.bincount(squared_distances(points, candidates).argmin(axis=1), minlength=len(candidates))
    own = squared_distances(candidates, centroids).argmin(axis=1)
    used = [group for group in range(len(centroids)) if weights[own == group].sum() > 0]
    means = np.stack([np.average(candidates[own == group], axis=0, weights=weights[own == group]) for group in used])
    off = float(np.abs(centroids[used] - means).max())
    exam.expect(
        "Each centroid is the mean of its candidates, weighted by the number of points nearest to each",
        off < 0.05,
        f"largest difference {off:.3g}",
    )
