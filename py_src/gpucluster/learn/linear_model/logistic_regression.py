"""Classification by a linear model of log-odds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..arrays import Array, Data, Output, RandomState
from ..checks import check_finite, check_weight
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter, warn_caller
from ..estimator import DistributedEstimator, ScoredClassifier
from ..kernels.logistic import LossGradient, log_probabilities, loss_gradient, predicted, probabilities, scores
from ..labels import ClassWeight, checked_classes, classes_of, codes_of, labels_of, merge_classes
from ..parameters import Rule, either, fitted, one_of, parameter, real, whole
from ..rows.block import Block, Rows
from ..rows.table import floating_type
from .least_squares import columns_of


class Fitted(NamedTuple):
    """The result of L-BFGS."""

    classes: Array
    coef: Array  # Array of shape (K, d + 1), the last column for the intercepts.
    n_iter: int
    converged: bool
    message: str


def logistic(
    rows: Rows, n_features: int, strength: float, fit_intercept: bool, class_weight: ClassWeight, tol: float,
    max_iter: int, start: Array | None,
) -> Fitted:  # fmt: skip
    """Return the coefficients; each evaluation is one total over all rows.

    ``strength`` of the penalty is 1 / C, ``tol`` is for the largest part of the gradient, and ``start``, of shape
    (K, d + 1), has the first coefficients, if it fits the classes.
    """
    from scipy.optimize import minimize

    classes = checked_classes(rows.total(classes_of, op=merge_classes))
    if len(classes) < 2:
        raise InvalidData(
            "y: This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
            f"{classes[0]!r}. Include rows of other classes."
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
    """Return number and weight of the rows of each class: array of shape (2, n); NaN for negative weights."""
    codes = codes_of(labels_of(block), classes)
    counts = np.bincount(codes, minlength=len(classes)).astype(np.float64)
    if block.weights is None:
        return np.stack([counts, counts])
    weights = np.asarray(block.weights, dtype=np.float64)
    if len(weights) and not weights.min() >= 0:
        return np.full((2, len(classes)), np.nan)
    return np.stack([counts, np.bincount(codes, weights=weights, minlength=len(classes))])


def _class_weights(wanted: ClassWeight, classes: Array, counts: Array) -> Array | None:
    """Return the weight of each class; ``None`` where all are 1."""
    if wanted is None:
        return None
    if isinstance(wanted, str):
        # As in scikit-learn, by the weights of rows.
        return counts[1].sum() / (len(classes) * counts[1])
    unknown = sorted(str(label) for label in wanted if label not in set(classes.tolist()))
    if unknown:
        raise InvalidParameter(
            f"class_weight: {', '.join(unknown)} is not a class of y. "
            f"Its classes are {', '.join(map(str, classes[:20]))}."
        )
    return np.array([float(wanted.get(label, 1.0)) for label in classes.tolist()])


_PENALTY = "Only penalties on squared coefficients are supported, or none (C=np.inf)."


class LogisticRegression(ScoredClassifier, DistributedEstimator):
    """Classification of two or more classes with a penalty on squared coefficients, or none.

    Algorithm: L-BFGS (Liu and Nocedal, 1989) in SciPy. The objective is scikit-learn's: the weighted mean of the
    logistic losses (softmax for three or more classes), plus the penalty. Every worker holds its rows and runs L-BFGS
    on the same numbers, without the scheduler and the client.

    Communication: one allreduce of ``8 K (d + 1) + 8`` bytes per evaluation of the objective, mostly one per iteration,
    for d columns and K classes (1 for two classes); one of the classes at the beginning.

    cuML's ``cuml.dask.linear_model.LogisticRegression`` runs L-BFGS with an allreduce of the gradient too, on GPUs.

    Parameters
    ----------
    penalty : {"l2", None}, optional
        Deprecated by scikit-learn: use ``C=np.inf`` for no penalty.
    C : float
        Inverse strength of the penalty.
    l1_ratio : 0
        Penalties on absolute values are refused.
    dual : False
    tol : float
        L-BFGS ends when no part of the gradient is larger.
    intercept_scaling, n_jobs, verbose, random_state
        Without effect, as with scikit-learn's ``lbfgs``.
    class_weight : dict, "balanced" or None
        Weights of classes; ``balanced`` gives all classes the same total weight.
    solver : {"lbfgs"}
    max_iter : int

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        float32 for float32 data.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    n_iter_ : ndarray of shape (1,)
    """

    _scikit_learn = "sklearn.linear_model.LogisticRegression"

    coef_: Array = fitted()
    intercept_: Array = fitted()
    classes_: Array = fitted()

    penalty: str | None = parameter("deprecated", one_of("l2", None, "deprecated", advice=_PENALTY), kw_only=False)
    C: float = parameter(1.0, real(0, above=True))
    l1_ratio: float = parameter(0.0, Rule(lambda value: value in (None, 0), "0", _PENALTY))
    dual: bool = parameter(False, Rule(lambda value: not value, "False"))
    tol: float = parameter(1e-4, real(0, above=True))
    fit_intercept: bool = True
    intercept_scaling: float = 1
    class_weight: ClassWeight = parameter(
        None, either("balanced", Rule(lambda value: value is None or isinstance(value, Mapping), "a dict or None"))
    )
    random_state: RandomState = None
    solver: str = parameter("lbfgs", one_of("lbfgs"))
    max_iter: int = parameter(100, whole(0))
    verbose: int = 0
    warm_start: bool = False
    n_jobs: int | None = None

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> LogisticRegression:
        """Find the coefficients; there must be two classes or more."""
        start = None
        if self.warm_start and hasattr(self, "coef_"):
            start = np.column_stack([self.coef_, np.broadcast_to(self.intercept_, len(self.coef_))])
        strength = 0.0 if self.penalty is None else 1.0 / self.C
        found: Fitted = self._fit_with(
            logistic, X, y, sample_weight, n_features=columns_of(X), strength=strength, start=start,
            fit_intercept=bool(self.fit_intercept), class_weight=self.class_weight, tol=float(self.tol),
            max_iter=int(self.max_iter),
        )  # fmt: skip
        dtype = floating_type(X)
        self.classes_ = found.classes
        self.coef_ = found.coef[:, :-1].astype(dtype)
        self.intercept_ = found.coef[:, -1].astype(dtype)
        self.n_iter_ = np.array([found.n_iter], dtype=np.int32)
        if not found.converged:
            warn_caller(
                f"lbfgs did not converge after {found.n_iter} iteration(s): {found.message} Increase max_iter, or "
                "scale the columns (StandardScaler).",
                ConvergenceWarning,
            )
        return self

    @delegable
    def decision_function(self, X: Data) -> Output:
        """Return log-odds.

        Returns
        -------
        Dask array or data frame, or array
            Of shape (n_samples,) for two classes, with numbers above 0 for ``classes_[1]``, else of shape (n_samples,
            n_classes); lazy where X is lazy.
        """
        return self._map(scores, X, self._coefficients(), columns=None if len(self.coef_) == 1 else len(self.coef_))

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the most probable class of each row."""
        return self._map(predicted, X, self._coefficients(), self.classes_, dtype=self.classes_.dtype)

    @delegable
    def predict_proba(self, X: Data) -> Output:
        """Return the probability of each class."""
        return self._map_classes(probabilities, X)

    @delegable
    def predict_log_proba(self, X: Data) -> Output:
        """Return the logarithms of `predict_proba`: minus infinity where that is rounded to 0."""
        return self._map_classes(log_probabilities, X)

    def _map_classes(self, function: Callable[..., Array], X: Data) -> Output:
        names = [str(each) for each in self.classes_]
        return self._map(function, X, self._coefficients(), columns=len(names), names=names)

    def _coefficients(self) -> Array:
        return np.column_stack([self.coef_, self.intercept_])
