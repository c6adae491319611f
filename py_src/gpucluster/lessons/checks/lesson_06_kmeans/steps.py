"""Lesson 06, the steps in order, and those of one block: nearest centroid, partial results, the mean of means."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination, Halt, describe
from .. import exercise
from ..answers import Floats, several
from .reference import squared_distances


@exercise("06.1", "order")
def check_steps(exam: Examination, order: Any) -> None:
    """Any order in which each step comes after those it needs."""
    from ...study.ordering import check_order

    check_order(exam, "06.1", order)


@exercise("06.2", "assign")
def check_assign(exam: Examination, assign: Any) -> None:
    """Labels are those of brute force; no n × k × d array is built."""
    shapes = [(7, 3, 2), (60, 1, 4), (1, 4, 3), (90, 90, 6), (500, 8, 1), (400, 5, 3)]
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
        "Memory stays below half of an array of n × k × d numbers",
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
        "Points of float64 are compared in float64: the nearer of two centroids that are almost the same",
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
        "Each point gets the centroid that is nearest to it",
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
        exam.require("They are numbers", False, "something that is no array of numbers")
        raise Halt from None
    exam.require("sums has one row per centroid and one column per feature", sums.shape == (k, d),
                 f"shape {sums.shape} for k = {k}, d = {d}")  # fmt: skip
    exam.require("counts has one number per centroid, also for one without points", counts.shape == (k,),
                 f"shape {counts.shape} for k = {k}")  # fmt: skip
    exam.require("inertia is one number", inertia.ndim == 0, f"shape {inertia.shape}")
    return [sums, counts, inertia]


def _expect_block(exam: Examination, points: Floats, labels: Any, centroids: Floats, whole: list[Floats]) -> None:
    sums, counts, inertia = whole
    n = len(points)
    exam.expect("Each point is counted once", counts.sum() == n, f"counts sum to {counts.sum():g} for {n} points")
    right = np.array_equal(counts, np.bincount(labels, minlength=len(centroids)))
    exam.expect("Each point is counted for its own centroid", right, "all" if right else "some are not")
    total = np.abs(sums.sum(axis=0) - points.sum(axis=0)).max()
    exam.expect("The sums together are the sum of all points", total < 1e-8 * n, f"largest difference {total:.3g}")
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
