"""Lesson 08, linear models: normal equations in one pass, and the logistic gradient in many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...examination import Examination, Halt, describe
from .. import exercise
from ..answers import Floats, random_cuts, relative_gap
from .answers import arrays, shaped, total

EVALUATIONS = 500
"""So often the gradient may be computed; a fixed step of a sensible size needs less than half of it."""
LARGEST_LOSS = 0.005


@exercise("08.2", "products", "ridge")
def check_ridge(exam: Examination, products: Any, ridge: Any) -> None:
    """The blocks' products add up, and give scikit-learn's coefficients."""
    from sklearn.linear_model import LinearRegression, Ridge

    for n, d, alpha in ((80, 3, 0.0), (300, 5, 10.0), (120, 2, 100.0)):
        X = exam.rng.normal(exam.rng.uniform(-3, 3, d), exam.rng.uniform(0.5, 2, d), (n, d))
        y = X @ exam.rng.uniform(-2, 2, d) + exam.rng.uniform(3, 9) + exam.rng.normal(0, 0.5, n)
        parts = [exam.call(products, X[part].copy(), y[part].copy()) for part in random_cuts(exam.rng, n, 5)]
        merged = _merged(exam, parts)
        held = sum(np.asarray(value).size for value in merged)
        exam.expect(
            "What a block sends does not grow with its rows",
            held <= 2 * (d + 2) ** 2,
            f"{held} numbers for {d} columns",
        )
        true = (Ridge(alpha=alpha) if alpha else LinearRegression()).fit(X, y)
        result = exam.call(ridge, tuple(np.copy(value) for value in merged), alpha)
        coefficients, intercept = arrays(exam, result, ("coefficients", "intercept"))
        shaped(exam, "coefficients", coefficients, (d,))
        exam.require("intercept is one number", intercept.size == 1, f"shape {intercept.shape}")
        off = relative_gap(coefficients, true.coef_)
        exam.expect(
            "The coefficients are scikit-learn's, to one part in a million",
            off < 1e-6,
            f"off by {off:.2g} of the largest, with alpha = {alpha:g}",
        )
        off = relative_gap(intercept, true.intercept_)
        exam.expect("The intercept is scikit-learn's: the penalty leaves it alone", off < 1e-6, f"off by {off:.2g}")


def _merged(exam: Examination, parts: list[Any]) -> tuple[Any, ...]:
    first = parts[0]
    listed = isinstance(first, (tuple, list)) and len(first) > 0
    exam.require("products returns a tuple of arrays or numbers", listed, describe(first))
    try:
        shapes = [[np.asarray(value, dtype=float).shape for value in part] for part in parts]
    except (TypeError, ValueError):
        exam.require("products returns a tuple of arrays or numbers", False, describe(first[0]))
        raise Halt from None
    same = all(shape == shapes[0] for shape in shapes)
    exam.require("All blocks send arrays of the same shapes, so that they can be added", same, f"{shapes[0]} and other")
    return total([[np.asarray(value, dtype=float) for value in part] for part in parts])


def logistic_loss(X: Floats, y: Any, weights: Floats) -> float:
    """Sum of the logarithmic loss; the last weight is the intercept."""
    margin = np.where(y == 1, 1.0, -1.0) * (X @ weights[:-1] + weights[-1])
    return float(np.logaddexp(0, -margin).sum())


@exercise("08.3", "loss_and_gradient", "descend")
def check_logistic(exam: Examination, loss_and_gradient: Any, descend: Any) -> None:
    """The gradient is that of the loss and adds up; the descent reaches scikit-learn's loss."""
    for n, d in ((40, 2), (150, 4)):
        X, y = exam.rng.normal(size=(n, d)), exam.rng.integers(0, 2, n)
        weights = exam.rng.normal(size=d + 1)
        _expect_gradient(exam, loss_and_gradient, X, y, weights)
        parts = [_evaluated(exam, loss_and_gradient, X[part], y[part], weights) for part in random_cuts(exam.rng, n, 3)]
        true = logistic_loss(X, y, weights)
        off = abs(sum(loss for loss, _ in parts) / true - 1)
        exam.expect("The blocks' losses add up to the loss of all rows", off < 1e-9, f"off by {off:.2g}")
    far = np.array([[900.0], [-900.0]])
    loss, _gradient = _evaluated(exam, loss_and_gradient, far, np.array([0, 1]), np.array([1.0, 0.0]))
    right = abs(loss / 1800 - 1) < 1e-6
    exam.expect("Rows far on the wrong side have a large loss, not an infinite one", right, f"loss {loss:,.6g}")
    _expect_descent(exam, descend)


def _evaluated(exam: Examination, function: Any, X: Floats, y: Any, weights: Floats) -> tuple[float, Floats]:
    loss, gradient = arrays(exam, exam.call(function, X.copy(), y.copy(), weights.copy()), ("loss", "gradient"))
    exam.require("loss is one number", loss.size == 1, f"shape {loss.shape}")
    shaped(exam, "gradient", gradient, weights.shape)
    return float(loss), gradient


def _expect_gradient(exam: Examination, function: Any, X: Floats, y: Any, weights: Floats) -> None:
    loss, gradient = _evaluated(exam, function, X, y, weights)
    true = logistic_loss(X, y, weights)
    exam.expect(
        "loss is the sum over the rows of −log(probability of the row's own class)",
        abs(loss / true - 1) < 1e-9,
        f"{loss:.6g} for {len(X)} rows, expected {true:.6g}",
    )
    step = 1e-5
    slopes = [
        (logistic_loss(X, y, weights + step * side) - logistic_loss(X, y, weights - step * side)) / (2 * step)
        for side in np.eye(len(weights))
    ]
    off = relative_gap(gradient, slopes)
    exam.expect(
        "gradient says how the loss changes with each weight, the intercept last",
        off < 1e-5,
        f"it differs from small steps by {off:.2g} of the largest slope",
    )


def _expect_descent(exam: Examination, descend: Any) -> None:
    from sklearn.linear_model import LogisticRegression

    n, d = 600, 4
    X = exam.rng.normal(size=(n, d)) @ (np.eye(d) + 0.3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (X @ exam.rng.uniform(-1.2, 1.2, d) + exam.rng.logistic(0, 1.0, n) > 0.3).astype(int)
    calls, began = 0, None
    start = exam.rng.normal(0, 0.5, d + 1)

    def evaluate(weights: Any) -> tuple[float, Floats]:
        nonlocal calls, began
        calls += 1
        if calls > EVALUATIONS:
            raise RuntimeError(f"evaluate was called more than {EVALUATIONS} times")
        weights = np.array(weights, dtype=float)
        began = weights if began is None else began
        chance = 1 / (1 + np.exp(-np.clip(X @ weights[:-1] + weights[-1], -500, 500)))
        slope = np.append((chance - y) @ X, (chance - y).sum())
        return logistic_loss(X, y, weights) / n, slope / n

    found = _weights(exam, descend, evaluate, start)
    off = float(np.abs(start - (0 if began is None else began)).max())
    exam.expect(
        "It starts at the weights that it is given", off == 0, f"the first evaluation is {off:.3g} away from them"
    )
    best = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000).fit(X, y)
    true = logistic_loss(X, y, np.append(best.coef_[0], best.intercept_)) / n
    off = logistic_loss(X, y, found) / n / true - 1
    exam.expect(
        "The loss of your weights is scikit-learn's, within 0.5 % in both directions",
        abs(off) < LARGEST_LOSS,
        f"{off:+.3%} after {calls} evaluations",
    )


def _weights(exam: Examination, descend: Any, evaluate: Callable[[Any], Any], start: Floats) -> Floats:
    result = exam.call(descend, evaluate, start.copy())
    try:
        found = np.asarray(result, dtype=float)
    except (TypeError, ValueError):
        exam.require("descend returns the weights", False, describe(result))
        raise Halt from None
    exam.require(
        "descend returns the weights", found.shape == start.shape, f"shape {found.shape}, expected {start.shape}"
    )
    finite = bool(np.isfinite(found).all())
    exam.require("All weights are finite", finite, "all are" if finite else "some are not: was the step too large?")
    return found
