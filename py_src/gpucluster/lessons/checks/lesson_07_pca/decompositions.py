"""Lesson 07, the refresher: an eigenvalue, two triangular systems, and what R knows of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import Floats, number, numbers, relative_gap


def symmetric(rng: np.random.Generator, values: Floats) -> tuple[Floats, Floats]:
    """Return a symmetric matrix with these eigenvalues, and its eigenvectors as columns."""
    vectors = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return (vectors * values) @ vectors.T, vectors


@exercise("07.8", "stretch", "solve_halves", "products_from")
def check_decompositions(exam: Examination, stretch: Any, solve_halves: Any, products_from: Any) -> None:
    """Random matrices of two to six columns, with negative eigenvalues and eigenvectors of any length."""
    rng = exam.rng
    for _ in range(12):
        d = int(rng.integers(2, 7))
        values = np.append(rng.uniform(0.5, 9, d - 1), -float(rng.uniform(0.5, 9)))
        A, vectors = symmetric(rng, values)
        for place in (0, d - 1):
            v = vectors[:, place] * float(rng.choice([-4.0, -0.3, 1.0, 2.5]))
            found = number(exam, exam.call(stretch, A, v), "What `stretch` returns")
            kind = "a negative" if values[place] < 0 else "a positive"
            length = float(np.linalg.norm(v))
            exam.expect(f"`stretch` finds {kind} eigenvalue", abs(found - values[place]) < 1e-8,
                        f"{found:.6g} instead of {values[place]:.6g}, v has length {length:.2g}")  # fmt: skip
        place = int(rng.integers(d))
        found = number(exam, exam.call(stretch, np.diag(values), 3.0 * np.eye(d)[place]), "What `stretch` returns")
        exam.expect("`stretch` finds it where v has zeros", abs(found - values[place]) < 1e-8,
                    f"{found:.6g} instead of {values[place]:.6g}")  # fmt: skip
        B, _ = symmetric(rng, rng.uniform(0.5, 9, d))
        L, b = np.linalg.cholesky(B), rng.normal(size=d)
        x = numbers(exam, exam.call(solve_halves, L, b), "What `solve_halves` returns", (d,))
        gap = relative_gap(B @ x, b)
        exam.expect("`solve_halves` solves L Lᵀ x = b", gap < 1e-8, f"L Lᵀ x is off by {gap:.2g} of b")
        X = rng.normal(size=(40, d)) * rng.uniform(0.2, 5, d)
        R = np.linalg.qr(X, mode="r")
        products = numbers(exam, exam.call(products_from, R), "What `products_from` returns", (d, d))
        gap = relative_gap(products, X.T @ X)
        exam.expect("`products_from` gives XᵀX", gap < 1e-8, f"off by {gap:.2g}")
