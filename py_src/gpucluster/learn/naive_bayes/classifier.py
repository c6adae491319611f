"""The base of naive Bayes classifiers: predict the class with the largest joint likelihood."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, Data, Output, array_namespace_of
from ..delegation.methods import delegable
from ..errors import InvalidData
from ..estimator import DistributedEstimator, ScoredClassifier
from ..labels import known_classes, labels_at, require_known
from ..parameters import fitted

Likelihood = Callable[..., Array]
"""Called as ``likelihood(X, *model)``; returns log P(class) + log P(row | class), shape (n_rows, n_classes)."""


class NaiveBayes(ScoredClassifier, DistributedEstimator):
    """Base of the naive Bayes classifiers."""

    classes_: Array = fitted()
    _statistics: ClassVar[Callable[..., Any]]
    """The algorithm that finds the statistics of rows."""
    _merge: ClassVar[Callable[..., Any]]
    """Called with the statistics of two sets of rows; returns those of both."""
    _likelihood: ClassVar[Likelihood]

    def _model(self) -> tuple[Array, ...]:
        """Return the arguments of the likelihood."""
        raise NotImplementedError

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> Self:
        """Find the statistics of each class in one pass."""
        return self._refined(X, y, sample_weight, None)

    @delegable
    def partial_fit(
        self, X: Data, y: Data, classes: ArrayLike | None = None, sample_weight: Data | None = None
    ) -> Self:
        """Do the same as `fit` with more rows, together with those of former calls."""
        known = known_classes(classes, getattr(self, "classes_", None))
        return self._refined(X, y, sample_weight, known)

    def _refined(self, X: Data, y: Data, sample_weight: Data | None, known: Array | None) -> Self:
        """Fit to these rows, and where the classes are known, to earlier ones."""
        reset = known is None or not hasattr(self, "classes_")
        found = self._fit_with(type(self)._statistics, X, y, sample_weight, passes=1, reset=reset)
        if known is not None:
            before = self._seen(known)
            require_known(found.classes, before.classes)
            found = type(self)._merge(before, found)
        self._keep(found)
        return self

    def _seen(self, classes: Array) -> Any:
        """Return the statistics of the rows so far; empty for classes without rows."""
        raise NotImplementedError

    def _keep(self, found: Any) -> None:
        """Set the attributes from statistics."""
        raise NotImplementedError

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the most likely class of each row."""
        likelihood = type(self)._likelihood
        return self._map(most_likely, X, likelihood, self.classes_, *self._model(), dtype=self.classes_.dtype)

    @delegable
    def predict_proba(self, X: Data) -> Output:
        """Return the probability of each class, float64."""
        return self._probabilities(probabilities, X)

    @delegable
    def predict_log_proba(self, X: Data) -> Output:
        """Return the logarithm of the probability of each class, float64."""
        return self._probabilities(log_probabilities, X)

    def _probabilities(self, function: Callable[..., Array], X: Data) -> Output:
        likelihood = type(self)._likelihood
        return self._map(function, X, likelihood, *self._model(), dtype=np.float64, columns=len(self.classes_))


def checked_class_weights(weights: Array) -> Array:
    """Return the total weight of each class; refuse weights without a model."""
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InvalidData(
            "sample_weight: the weights of each class must sum to a finite number from 0, and not all to 0."
        )
    return weights


def most_likely(X: Array, likelihood: Likelihood, classes: Array, *model: Array) -> Array:
    """Return the class with the largest likelihood for each row; of equal ones, the first."""
    return labels_at(likelihood(X, *model).argmax(axis=1), classes, X)


def log_probabilities(X: Array, likelihood: Likelihood, *model: Array) -> Array:
    """Return the logarithm of each class's probability; array of shape (n_rows, n_classes)."""
    xp = array_namespace_of(X)
    joint = likelihood(X, *model)
    top = joint.max(axis=1, keepdims=True)
    return joint - (top + xp.log(xp.exp(joint - top).sum(axis=1, keepdims=True)))


def probabilities(X: Array, likelihood: Likelihood, *model: Array) -> Array:
    """Return each class's probability; array of shape (n_rows, n_classes)."""
    return array_namespace_of(X).exp(log_probabilities(X, likelihood, *model))
