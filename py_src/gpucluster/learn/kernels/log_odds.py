"""Predictions of a linear model of log-odds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import array_namespace_of
from .projection import projected


def scores(X: Any, coef: Any) -> Any:
    """Return log-odds: array of shape (n_rows,) for two classes, else (n_rows, K).

    Parameters
    ----------
    X : array of shape (n_rows, d)
    coef : ndarray of shape (K, d + 1)
        The last column holds intercepts; K is 1 for two classes.
    """
    raw = projected(X, None, coef[:, :-1].T, coef[:, -1])
    return raw[:, 0] if len(coef) == 1 else raw


def predicted(X: Any, coef: Any, classes: Any) -> Any:
    """Return each row's most probable class."""
    found = scores(X, coef)
    codes = (found > 0).astype(np.intp) if found.ndim == 1 else found.argmax(axis=1)
    xp = array_namespace_of(X)
    return classes[codes] if xp is np else xp.asarray(classes)[codes]


def log_probabilities(X: Any, coef: Any) -> Any:
    """Return the logarithms of `probabilities`."""
    xp = array_namespace_of(X)
    with np.errstate(divide="ignore"):
        return xp.log(probabilities(X, coef))


def probabilities(X: Any, coef: Any) -> Any:
    """Return each row's probability of each class: array of shape (n_rows, n_classes)."""
    xp = array_namespace_of(X)
    raw = projected(X, None, coef[:, :-1].T, coef[:, -1])
    if raw.shape[1] == 1:
        second = _sigmoid(xp, raw)
        return xp.concatenate([1 - second, second], axis=1)
    raw -= raw.max(axis=1, keepdims=True)
    xp.exp(raw, out=raw)
    raw /= raw.sum(axis=1, keepdims=True)
    return raw


def _sigmoid(xp: Any, raw: Any) -> Any:
    small = xp.exp(-xp.abs(raw))
    return xp.where(raw >= 0, 1.0, small) / (1 + small)
