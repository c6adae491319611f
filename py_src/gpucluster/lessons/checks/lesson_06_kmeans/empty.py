"""Lesson 06, clusters that have lost all their points."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, Halt
from .. import exercise
from ..answers import Floats
from .reference import squared_distances


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
        "Each empty cluster gets a far point of its own, the farthest (the first) ones first",
        moved == sorted(map(tuple, far_points[:wanted])),
        f"{len(moved)} of {empty} empty clusters moved; {case}",
    )
    stayed = int((new[~used] == centroids[~used]).all(axis=1).sum())
    exam.expect("An empty cluster for which no far point is left stays", stayed == empty - wanted,
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
    exam.expect("In the end each distinct point has a centroid", inertias[-1] < 1e-9,
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
