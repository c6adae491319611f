"""Lesson 06, first centroids from a few random rounds over all points: k-means||."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, Halt
from ...material.conversion import as_numpy
from ...probes.transfers import Traffic
from .. import exercise
from ..answers import Floats, on_workers, several
from .reference import inertia_of, squared_distances, unequal_sizes

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
            "The chance of a point grows with its squared distance to the nearest candidate",
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
    # Groups of very different size: a random start seldom has a point in each.
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
        f"About five rounds that want 2 k = {2 * k} points each give about {expected} candidates (half to twice that)",
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
        "Each round looks at the cost anew: small groups at very different distances all get a candidate",
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
        "Each centroid is the mean of its candidates, each weighted by the number of points that are nearest to it",
        off < 0.05,
        f"largest difference {off:.3g}",
    )
