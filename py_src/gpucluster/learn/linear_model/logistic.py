"""L-BFGS on the logistic loss of all rows; the same on every rank."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..checks import check_finite, check_weight
from ..errors import InvalidData, InvalidParameter
from ..kernels.logistic import LossGradient, loss_gradient
from ..labels import ClassWeight, checked_classes, classes_of, codes_of, labels_of, merge_classes
from ..rows.block import Block, Rows


class Fitted(NamedTuple):
    """What L-BFGS has found."""

    classes: Array
    coef: Array
    """Array of shape (K, d + 1), the last column for the intercepts."""
    n_iter: int
    converged: bool
    message: str


def logistic(
    rows: Rows, n_features: int, strength: float, fit_intercept: bool, class_weight: ClassWeight, tol: float,
    max_iter: int, start: Array | None,
) -> Fitted:  # fmt: skip
    """Return the coefficients; each evaluation is one total over all rows.

    Parameters
    ----------
    rows : Rows
    n_features : int
    strength : float
        Of the penalty, 1 / C.
    fit_intercept : bool
    class_weight : dict, "balanced" or None
    tol : float
        For the largest part of the gradient.
    max_iter : int
    start : ndarray of shape (K, d + 1) or None
        Coefficients to begin with, if they fit the classes.
    """
    from scipy.optimize import minimize

    classes = checked_classes(rows.total(classes_of, op=merge_classes))
    if len(classes) < 2:
        raise InvalidData(
            "y: This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
            f"{classes[0]!r}. Choose rows with others too."
        )
    counts = rows.total(weights_of_classes, classes)
    check_weight(counts[1].sum())  # NaN where one is negative
    class_weights = _class_weights(class_weight, classes, counts)
    weight = float(counts[1].sum() if class_weights is None else counts[1] @ class_weights)
    shape = (1 if len(classes) == 2 else len(classes), n_features + 1)
    scale = strength / weight

    def objective(flat: Array) -> tuple[float, Array]:
        coef = flat.reshape(shape)
        found: LossGradient = rows.total(loss_gradient, coef, classes, class_weights)
        check_finite(found.gradient)
        gradient = found.gradient / weight
        gradient[:, :-1] += scale * coef[:, :-1]
        if not fit_intercept:
            gradient[:, -1] = 0.0
        return found.loss / weight + 0.5 * scale * float((coef[:, :-1] ** 2).sum()), gradient.ravel()

    first = np.zeros(shape) if start is None or start.shape != shape else start.astype(np.float64)
    if not fit_intercept:
        first[:, -1] = 0.0
    found = minimize(
        objective, first.ravel(), jac=True, method="L-BFGS-B",
        options={"maxiter": max_iter, "maxls": 50, "gtol": tol, "ftol": 64 * np.finfo(np.float64).eps},
    )  # fmt: skip
    return Fitted(classes, found.x.reshape(shape), min(int(found.nit), max_iter), found.status == 0, str(found.message))


def weights_of_classes(block: Block, classes: Array) -> Array:
    """Return how many rows each class has, and what they weigh: array of shape (2, n); NaN for negative weights."""
    codes = codes_of(labels_of(block), classes)
    counts = np.bincount(codes, minlength=len(classes)).astype(np.float64)
    if block.weights is None:
        return np.stack([counts, counts])
    weights = np.asarray(block.weights, dtype=np.float64)
    if len(weights) and not weights.min() >= 0:
        return np.full((2, len(classes)), np.nan)
    return np.stack([counts, np.bincount(codes, weights=weights, minlength=len(classes))])


def _class_weights(wanted: ClassWeight, classes: Array, counts: Array) -> Array | None:
    """Return what the rows of each class weigh; ``None`` where all weigh 1."""
    if wanted is None:
        return None
    if isinstance(wanted, str):
        # As scikit-learn: by the weights of rows, where there are any.
        return counts[1].sum() / (len(classes) * counts[1])
    unknown = sorted(str(label) for label in wanted if label not in set(classes.tolist()))
    if unknown:
        raise InvalidParameter(
            f"class_weight: {', '.join(unknown)} is no class of y. Its classes are {', '.join(map(str, classes[:20]))}."
        )
    return np.array([float(wanted.get(label, 1.0)) for label in classes.tolist()])
