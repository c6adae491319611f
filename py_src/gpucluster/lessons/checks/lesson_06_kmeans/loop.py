"""Lesson 06, the distributed loop."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination
from ...material.conversion import as_numpy
from ...probes.transfers import Traffic
from .. import exercise
from ..answers import Floats, on_workers
from .reference import (
    expect_empty,
    expect_limit,
    expect_stop,
    hard_options,
    inertia_of,
    largest_gap,
    read_path,
    serial_lloyd,
    squared_distances,
    telling_tolerances,
    unequal_sizes,
)


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
            "The centroids are those of a serial loop, cut into 1, 2, 3 or 7 parts",
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
    exam.expect("The other centroids go on as usual", gap < 1e-8, f"largest difference {gap:.2g}")
    _expect_step(exam, kmeans, points, start)


def _expect_step(exam: Examination, kmeans: Any, points: Floats, start: Floats) -> None:
    """The step that is given is run on each block by itself, where the block is."""
    sizes = unequal_sizes(exam.rng, len(points), 5)
    parts = on_workers(exam.client, points, sizes)
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


def _run(exam: Examination, kmeans: Any, parts: list[Any], start: Floats, *rest: Any) -> tuple[list[Floats], Floats]:
    return read_path(exam, exam.call(kmeans, exam.client, parts, start, *rest), start)


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
