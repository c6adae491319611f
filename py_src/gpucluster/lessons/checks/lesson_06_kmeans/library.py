"""Lesson 06, the comparison with the library: from the same start, and in both directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...material.conversion import as_numpy
from ...probes.transfers import Traffic
from .. import exercise
from ..answers import Floats, in_blocks, number, several
from .reference import inertia_of, serial_lloyd, squared_distances, unequal_sizes

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
        "From the same start, the inertia is that of your loop: neither more nor less by 1 %",
        abs(off) < LARGEST_DIFFERENCE,
        f"{off:+.2%}" + (": better than from this start is possible, so it began elsewhere" if off < -0.01 else ""),
    )
    same = _ari(points, found, true)
    exam.expect("The groups are those of your loop: ARI above 0.98", same > SMALLEST_ARI, f"ARI {same:.3f}")


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
                "ari is the adjusted Rand index of the two groupings, whatever their numbers",
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
