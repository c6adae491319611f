"""Naive Bayes classifiers, which need sums over the rows of each class only.

They predict the class with the largest joint likelihood: `GaussianNB` for features that are normally distributed within
each class, `MultinomialNB` for counts, such as those of words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, Data, Namespace, Output, array_namespace_of, to_numpy
from .checks import not_finite
from .delegation.methods import delegable
from .errors import InvalidData, InvalidParameter
from .estimator import DistributedEstimator, ScoredClassifier
from .labels import checked_classes, known_classes, labels_at, labels_of, merge_classes, require_known
from .parameters import fitted, parameter, real
from .rows.block import Block, Rows

__all__ = ["GaussianNB", "MultinomialNB"]

Likelihood = Callable[..., Array]
"""Called as ``likelihood(X, *model)``; returns log P(class) + log P(row | class), shape (n_rows, n_classes)."""


class NaiveBayes(ScoredClassifier, DistributedEstimator):
    """Base of the naive Bayes classifiers."""

    classes_: Array = fitted()
    _statistics: ClassVar[Callable[..., Any]]  # The algorithm that finds the statistics of rows.
    _merge: ClassVar[Callable[..., Any]]  # Called with the statistics of two sets of rows; returns those of both.
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
            "sample_weight: the weights of each class must sum to a finite, non-negative number, and not all sums may "
            "be 0."
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


class Moments(NamedTuple):
    """Weights, means and sums of squared differences from the mean: of each class, then of all rows, unweighted."""

    classes: Array  # Array of shape (n_classes,).
    weight: Array  # Array of shape (n_classes + 1,).
    mean: Array  # Array of shape (n_classes + 1, n_features), float64.
    squares: Array  # Array of shape (n_classes + 1, n_features), float64.


def gaussian_moments(rows: Rows) -> Moments:
    """Return each class's moments, in one pass.

    Source: T. F. Chan, G. H. Golub and R. J. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
    Variances", COMPSTAT (1982).
    """
    found = rows.total(_moments_of, op=merge_moments)
    checked_classes(None if found is None else found.classes)
    moments: Moments = found
    if not np.isfinite(moments.squares[-1]).all():
        raise not_finite()
    return moments


def _moments_of(block: Block) -> Moments | None:
    if len(block) == 0:
        return None
    xp = array_namespace_of(block.X)
    X = block.X.astype(np.float64, copy=False)
    classes, codes = np.unique(labels_of(block), return_inverse=True)
    codes = xp.asarray(codes)
    parts = [
        _moments(xp, X[codes == code], None if block.weights is None else block.weights[codes == code])
        for code in range(len(classes))
    ]
    weight, mean, squares = zip(*parts, _moments(xp, X, None), strict=True)
    return Moments(classes, np.asarray(weight), np.stack(mean), np.stack(squares))


def _moments(xp: Namespace, X: Array, weights: Array | None) -> tuple[float, Array, Array]:
    weights = xp.ones(len(X)) if weights is None else weights.astype(np.float64)
    weight = weights.sum()
    if weight == 0:
        return 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1])
    with np.errstate(invalid="ignore"):  # Infinite values are reported later.
        mean = weights @ X / weight
        return float(weight), to_numpy(mean), to_numpy(weights @ (X - mean) ** 2)


def merge_moments(one: Moments, other: Moments) -> Moments:
    classes = merge_classes(one.classes, other.classes)
    one, other = _widened(one, classes), _widened(other, classes)
    weight = one.weight + other.weight
    with np.errstate(invalid="ignore"):  # Infinite weights are refused later.
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight != 0)[:, None]
        shift = other.mean - one.mean
        squares = one.squares + other.squares + shift**2 * (one.weight[:, None] * share)
        return Moments(classes, weight, one.mean + shift * share, squares)


def _widened(found: Moments, classes: Array) -> Moments:
    places = [*np.searchsorted(classes, found.classes), len(classes)]

    def wider(array: Array) -> Array:
        result = np.zeros((len(classes) + 1, *array.shape[1:]))
        result[places] = array
        return result

    return Moments(classes, wider(found.weight), wider(found.mean), wider(found.squares))


def gaussian_likelihood(X: Array, prior: Array, mean: Array, variance: Array) -> Array:
    """Return log P(class) + log P(row | class); array of shape (n_rows, n_classes), float64."""
    xp = array_namespace_of(X)
    likelihood = []
    for number in range(len(mean)):
        own, spread = xp.asarray(mean[number]), xp.asarray(variance[number])
        constant = float(np.log(prior[number]) - 0.5 * np.sum(np.log(2.0 * np.pi * variance[number])))
        likelihood.append(constant - 0.5 * xp.sum((X - own) ** 2 / spread, axis=1))
    return xp.stack(likelihood, axis=1)


class GaussianNB(NaiveBayes):
    """Classify by means and variances of each class, found in one pass over rows that are spread over a cluster.

    Source: scikit-learn's formulas; moments are merged as by T. F. Chan, G. H. Golub and R. J. LeVeque (1982).
    Communication: ``8 (n_classes + 1) (2 n_features + 1)`` bytes per block, once. cuML has no form of it for several
    GPUs: with data on GPUs, this one runs there block by block.

    Parameters
    ----------
    priors : array of shape (n_classes,), optional
        Probabilities of the classes; those in the data when not given.
    var_smoothing : float
        Fraction of the largest variance of all features that is added to all variances.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_count_ : array of shape (n_classes,)
        Summed weights of the rows of each class.
    class_prior_ : array of shape (n_classes,)
    theta_, var_ : array of shape (n_classes, n_features), float64
        Mean and variance.
    epsilon_ : float
        The number that was added to the variances.
    """

    _scikit_learn = "sklearn.naive_bayes.GaussianNB"

    class_count_: Array = fitted()
    epsilon_: float = fitted()
    class_prior_: Array = fitted()
    theta_: Array = fitted()
    var_: Array = fitted()
    _statistics = staticmethod(gaussian_moments)
    _merge = staticmethod(merge_moments)
    _likelihood = staticmethod(gaussian_likelihood)

    priors: ArrayLike | None = None
    var_smoothing: float = parameter(1e-9, real(0))

    def _keep(self, found: Moments) -> None:
        self.epsilon_ = self.var_smoothing * (found.squares[-1] / found.weight[-1]).max()
        self.classes_ = found.classes
        self.class_count_ = checked_class_weights(found.weight[:-1])
        counts = np.where(self.class_count_ == 0, 1, self.class_count_)
        self.theta_ = found.mean[:-1]
        self.var_ = found.squares[:-1] / counts[:, None] + self.epsilon_
        if self.priors is None:
            self.class_prior_ = self.class_count_ / self.class_count_.sum()
        else:
            self.class_prior_ = checked_priors(self.priors, len(self.classes_))

    def _seen(self, classes: Array) -> Moments:
        """Return the moments of the rows so far; those of all rows come from the classes, and so are weighted."""
        if not hasattr(self, "classes_"):
            return Moments(classes, *(np.zeros((len(classes) + 1, *shape)) for shape in ((), (1,), (1,))))
        counts = self.class_count_[:, None]
        squares = (self.var_ - self.epsilon_) * counts
        mean = (self.theta_ * counts).sum(axis=0) / counts.sum()
        total = squares.sum(axis=0) + ((self.theta_ - mean) ** 2 * counts).sum(axis=0)
        weight = np.append(self.class_count_, counts.sum())
        return Moments(self.classes_, weight, np.vstack([self.theta_, mean]), np.vstack([squares, total]))

    def _model(self) -> tuple[Array, ...]:
        return self.class_prior_, self.theta_, self.var_


def checked_priors(priors: ArrayLike, n_classes: int) -> Array:
    try:
        priors = np.atleast_1d(np.asarray(priors, dtype=np.float64))
    except (TypeError, ValueError):
        raise InvalidParameter(f"priors: must be numbers, not {priors!r}.") from None
    if len(priors) != n_classes:
        raise InvalidParameter(f"priors: must have {n_classes} values, one for each class, not {len(priors)}.")
    if not np.isclose(priors.sum(), 1.0):
        raise InvalidParameter(f"priors: must sum to 1, but sum to {priors.sum():g}.")
    if (priors < 0).any():
        raise InvalidParameter("priors: must not be negative.")
    return priors


class Counts(NamedTuple):
    """Sums of the features in the rows of each class."""

    classes: Array  # Array of shape (n_classes,).
    weight: Array  # Array of shape (n_classes,), float64.
    features: Array  # Weighted sums of the features; array of shape (n_classes, n_features), float64.
    smallest: float  # Smallest value of all.


def class_counts(rows: Rows) -> Counts:
    """Sum the rows of each class, in one pass."""
    found = rows.total(_counts_of, op=merge_counts)
    checked_classes(None if found is None else found.classes)
    counts: Counts = found
    checked_class_weights(counts.weight)
    if not np.isfinite(counts.features).all() or not np.isfinite(counts.smallest):
        raise not_finite()
    if counts.smallest < 0:
        raise InvalidData(
            "Negative values in data passed to MultinomialNB (input X). It requires counts; use GaussianNB."
        )
    return counts


def _counts_of(block: Block) -> Counts | None:
    if len(block) == 0:
        return None
    xp = array_namespace_of(block.X)
    classes, codes = np.unique(labels_of(block), return_inverse=True)
    member = xp.zeros((len(classes), len(block)))
    member[xp.asarray(codes), xp.arange(len(block))] = 1 if block.weights is None else block.weights
    with np.errstate(invalid="ignore"):  # Infinite values and weights are reported later.
        features = member @ block.X.astype(np.float64, copy=False)
    return Counts(classes, to_numpy(member.sum(axis=1)), to_numpy(features), float(block.X.min()))


def merge_counts(one: Counts, other: Counts) -> Counts:
    classes = merge_classes(one.classes, other.classes)
    weight, features = np.zeros(len(classes)), np.zeros((len(classes), one.features.shape[1]))
    for part in (one, other):
        places = np.searchsorted(classes, part.classes)
        weight[places] += part.weight
        features[places] += part.features
    return Counts(classes, weight, features, float(np.minimum(one.smallest, other.smallest)))


def multinomial_likelihood(X: Array, log_prior: Array, log_share: Array) -> Array:
    """Return log P(class) + log P(row | class); array of shape (n_rows, n_classes)."""
    xp = array_namespace_of(X)
    return X @ xp.asarray(log_share).T + xp.asarray(log_prior)


class MultinomialNB(NaiveBayes):
    """Classify by how often features occur in each class, counted in one pass over rows spread over a cluster.

    Source: C. D. Manning, P. Raghavan and H. Schütze, "Introduction to Information Retrieval" (2008), chapter 13.
    Communication: ``8 n_classes (n_features + 1)`` bytes per block, once; the counts are a plain sum. cuML's form for
    several GPUs takes Dask arrays only, which may be sparse; here blocks are dense.

    Parameters
    ----------
    alpha : float or array of shape (n_features,)
        Added to each count, so that features that never occurred in a class are not impossible.
    force_alpha : bool
        Take ``alpha`` unchanged; otherwise at least 1e-10.
    fit_prior : bool
        Estimate the classes' probabilities; otherwise all are the same.
    class_prior : array of shape (n_classes,), optional
        The classes' probabilities.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_count_ : array of shape (n_classes,)
        Summed weights of the rows of each class.
    feature_count_ : array of shape (n_classes, n_features)
        Weighted sums.
    class_log_prior_ : array of shape (n_classes,)
    feature_log_prob_ : array of shape (n_classes, n_features)
    """

    _scikit_learn = "sklearn.naive_bayes.MultinomialNB"

    _statistics = staticmethod(class_counts)
    _merge = staticmethod(merge_counts)
    _likelihood = staticmethod(multinomial_likelihood)

    alpha: float | ArrayLike = 1.0
    force_alpha: bool = True
    fit_prior: bool = True
    class_prior: ArrayLike | None = None

    def _seen(self, classes: Array) -> Counts:
        if not hasattr(self, "classes_"):
            return Counts(classes, np.zeros(len(classes)), np.zeros((len(classes), self.n_features_in_)), np.inf)
        return Counts(classes, self.class_count_, self.feature_count_, np.inf)

    def _keep(self, found: Counts) -> None:
        alpha = self._alpha(found.features.shape[1])
        self.classes_ = found.classes
        self.class_count_ = found.weight
        self.feature_count_ = found.features
        self.class_log_prior_ = self._log_prior()
        smoothed = self.feature_count_ + alpha
        self.feature_log_prob_ = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))

    def _alpha(self, n_features: int) -> Array:
        try:
            alpha = np.asarray(self.alpha, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidParameter(f"alpha: must be a number, or an array of numbers, not {self.alpha!r}.") from None
        if alpha.ndim and alpha.shape != (n_features,):
            raise InvalidParameter(f"alpha: must be one number, or {n_features} numbers, one for each feature.")
        if not (alpha >= 0).all():
            raise InvalidParameter("alpha: must not be negative.")
        return alpha if self.force_alpha else np.maximum(alpha, 1e-10)

    def _log_prior(self) -> Array:
        n_classes = len(self.classes_)
        if self.class_prior is not None:
            prior = np.asarray(self.class_prior, dtype=np.float64)
            if len(prior) != n_classes:
                raise InvalidParameter(
                    f"class_prior: must have {n_classes} values, one for each class, not {len(prior)}."
                )
            return np.log(prior)
        if self.fit_prior:
            with np.errstate(divide="ignore"):
                return np.log(self.class_count_) - np.log(self.class_count_.sum())
        return np.full(n_classes, -np.log(n_classes))

    def _model(self) -> tuple[Array, ...]:
        return self.class_log_prior_, self.feature_log_prob_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
