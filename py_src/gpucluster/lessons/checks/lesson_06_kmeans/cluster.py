"""Lesson 06, what runs on the cluster: the distributed loop and the recoloured picture."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...examination import Examination, Halt, describe
from ...material.conversion import as_numpy
from ...probes.transfers import Traffic
from .. import exercise
from .steps import squared_distances

Floats = NDArray[np.float64]
MOST_PER_PIXEL, AROUND = 3, 2000
"""Bytes that may travel for each pixel, and around each block of them."""

REST = 4.0
"""So far a colour may be from the mean of its pixels: it is rounded, and the loop stops within its tolerance."""


def share_out(client: Any, points: Floats, sizes: list[int]) -> list[Any]:
    """Put blocks of these sizes on the workers, in the array library of the lesson."""
    import dask.array as da

    blocks = da.from_array(points, chunks=(tuple(sizes), (points.shape[1],))).to_backend()
    parts = client.compute(list(blocks.to_delayed().ravel()))
    return list(parts)


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
        parts = share_out(exam.client, points, sizes)
        with Traffic(exam.client) as traffic:
            path, inertias = _run(exam, kmeans, parts, start.copy(), tolerance, limit)
        _expect_run(exam, points, path, inertias, start)
        gap = largest_gap(path[-1], true)
        exam.expect(
            "The centroids are those of a serial loop, cut into 1, 2, 3 or 7 parts",
            gap < 1e-8,
            f"largest difference {gap:.2g} with {count} part{'s' * (count > 1)} of {sizes} points",
        )
        share = traffic.bytes / points.nbytes
        exam.expect(
            "The points stay on the workers: only small results travel",
            share < 0.5,
            f"{traffic.bytes:,} bytes left in {len(inertias)} iterations; the points have {points.nbytes:,}",
        )
        if not all(finding.passed for finding in exam.findings):
            return  # one way to cut the points is enough to show what is wrong
    parts = share_out(exam.client, points, unequal_sizes(exam.rng, n, 2))
    for tolerance in telling_tolerances(points, start, limit):
        path, _ = _run(exam, kmeans, parts, start.copy(), tolerance, limit)
        expect_stop(exam, path, tolerance)
    _expect_options(exam, kmeans, parts, points, start)


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
        f"and {early} earlier step{'s' * (early != 1)} stayed within",
    )


def _expect_options(exam: Examination, kmeans: Any, parts: list[Any], points: Floats, start: Floats) -> None:
    """Few iterations are allowed, and one centroid is so far away that it never gets a point."""
    lonely, most = hard_options(exam.rng, points, start)
    path, inertias = _run(exam, kmeans, parts, lonely.copy(), 0.0, most)
    expect_limit(exam, len(inertias), most)
    expect_empty(exam, path[-1], lonely)
    gap = largest_gap(path[-1], serial_lloyd(points, lonely, 0.0, most))
    exam.expect("The other centroids go on as usual", gap < 1e-8, f"largest difference {gap:.2g}")
    _expect_step(exam, kmeans, points, start)


def _expect_step(exam: Examination, kmeans: Any, points: Floats, start: Floats) -> None:
    """The step that is given is run on each block by itself, where the block is."""
    sizes = unequal_sizes(exam.rng, len(points), 5)
    parts = share_out(exam.client, points, sizes)
    exam.client.run(_forget_tasks)
    _, inertias = _run(exam, partial(kmeans, step=squares_step), parts, start.copy(), 0.0, 1)
    true = float(sum(size**2 for size in sizes))
    exam.expect(
        "It uses the step that it is given, on each block by itself",
        inertias[0] == true,
        "it does" if inertias[0] == true else f"a step that returns {true:g} in all gave {inertias[0]:g}",
    )
    tasks = set().union(*exam.client.run(_task_names).values())
    exam.expect(
        "Each block has a task of its own", len(tasks) == len(parts), f"{len(tasks)} tasks, {len(parts)} blocks"
    )


_tasks: dict[str, None] = {}


def _forget_tasks() -> None:
    _tasks.clear()


def _task_names() -> set[str]:
    return set(_tasks)


def squares_step(block: Any, centroids: Any) -> tuple[Floats, Floats, float]:
    """Return sums and counts, and in the place of the inertia a number that tells how the points were cut."""
    from distributed import get_worker

    _tasks[str(get_worker().get_current_task())] = None
    points, centroids = as_numpy(block), as_numpy(centroids)
    own = np.eye(len(centroids))[squared_distances(points, centroids).argmin(axis=1)]
    return own.T @ points, own.sum(axis=0), float(len(points) ** 2)


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


def _run(exam: Examination, kmeans: Any, parts: list[Any], *rest: Any) -> tuple[list[Floats], Floats]:
    result = exam.call(kmeans, exam.client, parts, *rest)
    shape = rest[0].shape
    two = isinstance(result, (tuple, list)) and len(result) == 2
    exam.require("It returns two things: path and inertias", two, describe(result))
    try:
        path = [np.asarray(centroids, dtype=float) for centroids in result[0]]
        inertias = np.asarray([float(value) for value in result[1]])
    except (TypeError, ValueError):
        exam.require("path is a list of centroids, inertias a list of numbers", False, "something else")
        raise Halt from None
    right = len(path) > 1 and all(centroids.shape == shape for centroids in path)
    exam.require("Each entry of path has one row per centroid", right, f"{len(path)} entries; the last has shape "
                 f"{path[-1].shape if path else '(none)'}, the start {shape}")  # fmt: skip
    exam.require(
        "There is one inertia per iteration: one less than entries in path",
        len(inertias) == len(path) - 1,
        f"{len(inertias)} inertias, {len(path)} entries in path",
    )
    finite = bool(np.isfinite(inertias).all() and all(np.isfinite(centroids).all() for centroids in path))
    exam.require("All numbers are finite", finite, "all are" if finite else "some are not: was something divided by 0?")
    return path, inertias


def _expect_run(exam: Examination, points: Floats, path: list[Floats], inertias: Floats, start: Floats) -> None:
    off = float(np.abs(path[0] - start).max())
    exam.expect("path begins with the start", off < 1e-12, f"off by {off:.3g}")
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
    exam.expect("It goes on until the centroids stand still", step < 1e-6, f"one more step moves one by {step:.3g}")


@exercise("06.10", "recolour", "pictures")
def check_recolour(exam: Examination, recolour: Any, pictures: Any) -> None:
    """Each pixel gets the colour of its nearest centroid; each picture has exactly k colours."""
    for k, count in ((5, 3), (3, 1)):
        centroids = _distinct_colours(exam, k)
        pixels = np.clip(centroids[exam.rng.integers(0, k, 4001)] + exam.rng.normal(0, 0.1, (4001, 3)), 0, 1)
        parts = share_out(exam.client, pixels, unequal_sizes(exam.rng, len(pixels), count))
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
        "Colours are rounded to the nearest whole number, not cut off",
        rounded.all(),
        f"{(~rounded).sum()} of {n} pixels are off by more than half a step",
    )


def _expect_pictures(exam: Examination, pictures: Any) -> None:
    is_dict = isinstance(pictures, dict)
    exam.require("pictures is a dictionary {k: image}", is_dict, describe(pictures))
    exam.require("It has the pictures for k = 4, 8 and 16", set(pictures) == {4, 8, 16}, f"it has {sorted(pictures)}")
    from ...material.pictures import distinct_colours, load_photo, png_bytes

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
        f"{near.mean():.1%} of the pixels",
    )
    sums = np.stack([np.bincount(labels, points[:, channel], len(palette)) for channel in range(3)], axis=1)
    off = float(np.abs(sums / counts[:, None] - palette).max())
    exam.expect(
        f"Each colour of the picture for k = {k} is the mean of its pixels: k-means has come to rest",
        off < REST,
        f"the largest difference is {off:.1f} of 255",
    )
