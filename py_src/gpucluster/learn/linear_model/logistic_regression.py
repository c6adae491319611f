"""Classification by a linear model of log-odds."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, Data, Output, RandomState
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter, warn_caller
from ..estimator import DistributedEstimator
from ..kernels.logistic import log_probabilities, predicted, probabilities, scores
from ..labels import ClassWeight
from ..rows.table import floating_type
from ..scoring import ScoredClassifier
from .logistic import Fitted, logistic
from .regressor import columns_of


class LogisticRegression(ScoredClassifier, DistributedEstimator):
    """Classification of two or more classes with a penalty on squared coefficients, or none.

    Algorithm: L-BFGS (Liu and Nocedal, 1989) in SciPy. The objective is scikit-learn's: the weighted mean of the
    logistic losses (softmax for three or more classes), plus the penalty. Every worker holds its rows and runs L-BFGS
    on the same numbers, so the scheduler and the client hear of nothing until it is done.

    Communication: one allreduce of ``8 K (d + 1) + 8`` bytes per evaluation of the objective, mostly one per iteration,
    for d columns and K classes (1 for two classes); one of the classes at the beginning.

    cuML's ``cuml.dask.linear_model.LogisticRegression`` runs L-BFGS with an allreduce of the gradient too, on GPUs.

    Parameters
    ----------
    penalty : {"l2", None}, optional
        Deprecated by scikit-learn: use ``C=np.inf`` for no penalty.
    C : float
        The larger, the weaker the penalty.
    l1_ratio : 0
        Penalties on absolute values are refused.
    dual : False
    tol : float
        L-BFGS ends when no part of the gradient is larger.
    fit_intercept : bool
    intercept_scaling, n_jobs, verbose, random_state
        Without effect, as with scikit-learn's ``lbfgs``.
    class_weight : dict, "balanced" or None
        Weights of classes; ``balanced``: so that all classes weigh the same.
    solver : {"lbfgs"}
    max_iter : int
    warm_start : bool
        Begin with the coefficients of the last fit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        float32 for float32 data.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    n_iter_ : ndarray of shape (1,)
    n_features_in_ : int
    """

    _scikit_learn = "sklearn.linear_model.LogisticRegression"

    coef_: Array
    intercept_: Array
    classes_: Array

    def __init__(
        self,
        penalty: str | None = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> LogisticRegression:
        """Find the coefficients.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        y : Dask array or series, or array, of shape (n_samples,)
            Numbers or strings.
        sample_weight : Dask array or series, or array, of shape (n_samples,), optional

        Raises
        ------
        InvalidData
            Something is not finite, has no rows, or does not fit together; there are fewer than two classes.
        InvalidParameter
            An option is not allowed.
        """
        self._check_parameters()
        if y is None:
            raise InvalidData(
                "LogisticRegression requires y to be passed, but the target y is None. Give one label per row."
            )
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

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)

        Returns
        -------
        Dask array or data frame, or array
            Of shape (n_samples,) for two classes, where what is above 0 speaks for ``classes_[1]``, else of shape
            (n_samples, n_classes); lazy where X is lazy.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Nothing was fitted.
        ValueError
            X has not the columns that were fitted (``InvalidData`` on Dask), or holds NaN or infinity in memory.
        """
        check_is_fitted(self)
        return self._map(scores, X, self._coefficients(), columns=None if len(self.coef_) == 1 else len(self.coef_))

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)

        Returns
        -------
        Dask array, series or array of shape (n_samples,)
            Of the type of ``classes_``; lazy where X is lazy.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Nothing was fitted.
        ValueError
            X has not the columns that were fitted (``InvalidData`` on Dask), or holds NaN or infinity in memory.
        """
        check_is_fitted(self)
        return self._map(predicted, X, self._coefficients(), self.classes_, dtype=self.classes_.dtype)

    @delegable
    def predict_proba(self, X: Data) -> Output:
        """Return the probability of each class.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)

        Returns
        -------
        Dask array or data frame, or array, of shape (n_samples, n_classes)
            In the order of ``classes_``; lazy where X is lazy.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Nothing was fitted.
        ValueError
            X has not the columns that were fitted (``InvalidData`` on Dask), or holds NaN or infinity in memory.
        """
        check_is_fitted(self)
        return self._map(
            probabilities, X, self._coefficients(), columns=len(self.classes_), names=[str(c) for c in self.classes_]
        )

    @delegable
    def predict_log_proba(self, X: Data) -> Output:
        """Return the logarithms of `predict_proba`: minus infinity where that is rounded to 0.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)

        Returns
        -------
        Dask array or data frame, or array, of shape (n_samples, n_classes)
            In the order of ``classes_``; lazy where X is lazy.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Nothing was fitted.
        ValueError
            X has not the columns that were fitted (``InvalidData`` on Dask), or holds NaN or infinity in memory.
        """
        check_is_fitted(self)
        return self._map(
            log_probabilities, X, self._coefficients(), columns=len(self.classes_),
            names=[str(c) for c in self.classes_],
        )  # fmt: skip

    def _coefficients(self) -> Array:
        return np.column_stack([self.coef_, self.intercept_])

    def _check_parameters(self) -> None:
        if self.solver != "lbfgs":
            raise InvalidParameter(f"solver: {self.solver!r} is not supported; only 'lbfgs' is.")
        if self.penalty not in {"deprecated", "l2", None} or self.l1_ratio not in {None, 0}:
            raise InvalidParameter(
                "penalty, l1_ratio: only penalties on squared coefficients are supported, or none (C=np.inf). Leave "
                "l1_ratio at 0."
            )
        if self.dual:
            raise InvalidParameter("dual: is not supported. Leave it at False.")
        for name, least in (("C", 0.0), ("tol", 0.0)):
            value: Any = getattr(self, name)
            number = isinstance(value, Real) and not isinstance(value, bool)
            if not number or not float(value) > least:
                raise InvalidParameter(f"{name}: must be a number above 0, not {value!r}.")
        if not isinstance(self.max_iter, Integral) or isinstance(self.max_iter, bool) or self.max_iter < 0:
            raise InvalidParameter(f"max_iter: must be a whole number from 0, not {self.max_iter!r}.")
        if not (self.class_weight is None or self.class_weight == "balanced" or isinstance(self.class_weight, Mapping)):
            raise InvalidParameter(f"class_weight: must be 'balanced', a dict or None, not {self.class_weight!r}.")
