"""Lesson 07, directions from a matrix: principal components, and singular vectors without centring."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import Floats, number, numbers, relative_gap, several
from .tables import mixed_table

COSINE = 0.99925
"""Between the mean 16 × 16 patch of the two photos and their first singular vector."""


@exercise("07.2", "principal_components")
def check_components(exam: Examination, principal_components: Any) -> None:
    """On handwritten digits as scikit-learn, on hidden tables as a singular value decomposition; up to sign."""
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA

    digits = load_digits().data
    tables = [(digits[exam.rng.permutation(len(digits))], 12), (mixed_table(exam.rng, 500, 6), 6),
              (mixed_table(exam.rng, 90, 5), 2),
              (exam.rng.normal(size=(400, 5)) * [0.5, 1, 2, 4, 8], 3), (_uncorrelated(exam.rng), 3)]  # fmt: skip
    for table, k in tables:
        true = PCA(k, svd_solver="full").fit(table)
        components, variances, ratios = _directions(exam, principal_components, np.cov(table.T), k)
        d = table.shape[1]
        exam.expect("The largest variance comes first", (np.diff(variances) <= 1e-9).all(),
                    f"the first two are {variances[0]:.4g} and {variances[1]:.4g}")  # fmt: skip
        gap = relative_gap(variances, true.explained_variance_)
        exam.expect("variances are the eigenvalues of the covariance matrix", gap < 1e-6,
                    f"relative difference {gap:.2g} for {d} columns")  # fmt: skip
        gap = float(np.abs(ratios - true.explained_variance_ratio_).max())
        exam.expect(
            "ratios are shares of the variance of ALL columns, as in scikit-learn",
            gap < 1e-6,
            f"largest difference {gap:.2g}; your first {k} ratios add up to {ratios.sum():.4f}",
        )
        _expect_rows(exam, components, true.components_)


def _uncorrelated(rng: np.random.Generator) -> Floats:
    """Return a table whose covariance matrix is diagonal, from small to large: solvers that do not sort leave it so."""
    table = rng.normal(size=(400, 5))
    columns, _ = np.linalg.qr(table - table.mean(axis=0))
    return 20 * columns * [0.5, 1, 2, 4, 8]


def _directions(exam: Examination, function: Any, matrix: Floats, k: int) -> list[Floats]:
    result = exam.call(function, matrix, k)
    components, variances, ratios = several(exam, result, "components", "variances", "ratios")
    return [
        numbers(exam, components, "components (one row per component)", (k, len(matrix))),
        numbers(exam, variances, "variances", (k,)),
        numbers(exam, ratios, "ratios", (k,)),
    ]


def _expect_rows(exam: Examination, found: Floats, true: Floats) -> None:
    gap = float(np.abs(found @ found.T - np.eye(len(found))).max())
    exam.expect("Components have length 1 and are orthogonal to each other", gap < 1e-8, f"off by {gap:.2g}")
    cosines = np.abs((found * true).sum(axis=1))
    exam.expect(
        "Each row is the right direction, up to its sign",
        (cosines > 1 - 1e-6).all(),
        f"the worst of {len(found)} has |cosine| {cosines.min():.6f}",
    )


@exercise("07.7", "truncated_svd", "cosine")
def check_truncated(exam: Examination, truncated_svd: Any, cosine: Any) -> None:
    """Singular vectors of the table as it is, from its merged moments."""
    for n, d, k in [(80, 4, 4), (600, 7, 3)]:
        table = mixed_table(exam.rng, n, d) + exam.rng.normal(0, 1, d)
        mean = table.mean(axis=0)
        centred = (table - mean).T @ (table - mean)
        result = exam.call(truncated_svd, n, mean, centred, k)
        components, values = several(exam, result, "components", "singular values")
        components = numbers(exam, components, "components (one row per component)", (k, d))
        values = numbers(exam, values, "singular values", (k,))
        _, true_values, true = np.linalg.svd(table, full_matrices=False)
        gap = relative_gap(values, true_values[:k])
        exam.expect("The singular values are those of NumPy for the table itself, not centred", gap < 1e-7,
                    f"relative difference {gap:.2g}; your first is {values[0]:.5g}")  # fmt: skip
        _expect_rows(exam, components, true[:k])
    value = number(exam, cosine, "cosine")
    exam.expect(
        "cosine is that of the angle between the mean patch and the first component of the 16 × 16 patches, up to sign",
        abs(abs(value) - COSINE) < 0.0003,  # 0.999 is near enough, 1 is not
        f"{value:.5f}",
    )
