"""Lesson 06: k-means in one process, which is always right, and what is expected of every other one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination, Halt
from ..answers import Floats, several


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
