"""Naive Bayes for features that are normally distributed within each class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, Namespace, array_namespace_of, to_numpy
from ..checks import not_finite
from ..errors import InvalidParameter
from ..labels import checked_classes, labels_of, merge_classes
from ..parameters import fitted, parameter, real
from ..rows.block import Block, Rows
from .classifier import NaiveBayes, checked_class_weights


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
    """Return probabilities of the classes as an array, after checks."""
    try:
        priors = np.atleast_1d(np.asarray(priors, dtype=np.float64))
    except (TypeError, ValueError):
        raise InvalidParameter(f"priors: must be numbers, not {priors!r}.") from None
    if len(priors) != n_classes:
        raise InvalidParameter(f"priors: {n_classes} are needed, one for each class, not {len(priors)}.")
    if not np.isclose(priors.sum(), 1.0):
        raise InvalidParameter(f"priors: must sum to 1, but sum to {priors.sum():g}.")
    if (priors < 0).any():
        raise InvalidParameter("priors: must not be negative.")
    return priors
