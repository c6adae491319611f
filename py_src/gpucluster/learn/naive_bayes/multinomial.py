"""Naive Bayes for counts, such as those of words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, array_namespace_of, to_numpy
from ..checks import not_finite
from ..errors import InvalidData, InvalidParameter
from ..labels import checked_classes, labels_of, merge_classes
from ..rows.block import Block, Rows
from .classifier import NaiveBayes, checked_class_weights


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
        raise InvalidData("Negative values in data passed to MultinomialNB (input X). It needs counts; use GaussianNB.")
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
            raise InvalidParameter(f"alpha: one number, or {n_features} are needed, one for each feature.")
        if not (alpha >= 0).all():
            raise InvalidParameter("alpha: must not be negative.")
        return alpha if self.force_alpha else np.maximum(alpha, 1e-10)

    def _log_prior(self) -> Array:
        n_classes = len(self.classes_)
        if self.class_prior is not None:
            prior = np.asarray(self.class_prior, dtype=np.float64)
            if len(prior) != n_classes:
                raise InvalidParameter(f"class_prior: {n_classes} are needed, one for each class, not {len(prior)}.")
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
