"""Scores of estimators without gathering predictions."""

from __future__ import annotations

from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin

from .arrays import Data
from .clients import computing_with
from .rows.table import as_table, is_dask


class ScoredClassifier(ClassifierMixin):
    """A classifier whose score is the accuracy, computed where the data are."""

    def score(self, X: Data, y: Data, sample_weight: Data | None = None) -> float:
        """Return the share of the rows of X whose label in y is predicted rightly; see `accuracy_score`.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        y : Dask array, series or data frame, or array, of shape (n_samples,) or (n_samples, n_labels)
            Right labels.
        sample_weight : Dask array or series, or array, of shape (n_samples,), optional

        Returns
        -------
        float
            From 0 to 1; of the sum of weights where there are some.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Nothing was fitted.
        ValueError
            X has not the columns that were fitted (``InvalidData`` on Dask), or holds NaN or infinity in memory.
        """
        from .metrics.classification import accuracy

        with computing_with(getattr(self, "_client", None)):
            truth, weights = _beside(X, y, sample_weight)
            return accuracy(truth, self.predict(X), weights, names=("y", "the prediction"))


class ScoredRegressor(RegressorMixin):
    """A regressor whose score is R², computed where the data are."""

    def score(self, X: Data, y: Data, sample_weight: Data | None = None) -> float:
        """Return the share of the variance of y that the prediction explains; see `r2_score`.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        y : Dask array or series, or array, of shape (n_samples,) or (n_samples, n_targets)
            Right values.
        sample_weight : Dask array or series, or array, of shape (n_samples,), optional

        Returns
        -------
        float
            1 at best; below 0 where the mean of y would be a better prediction.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Nothing was fitted.
        ValueError
            X has not the columns that were fitted (``InvalidData`` on Dask), or holds NaN or infinity in memory.
        """
        from .metrics.regression import r2

        with computing_with(getattr(self, "_client", None)):
            truth, weights = _beside(X, y, sample_weight)
            return float(r2(truth, self.predict(X), weights, names=("y", "the prediction")))


def _beside(X: Data, y: Data, sample_weight: Data | None) -> tuple[Any, Any]:
    """Return what belongs to the rows of X on Dask, too: else rows would be counted by predicting them."""
    if not is_dask(X) or all(part is None or is_dask(part) for part in (y, sample_weight)):
        return y, sample_weight
    table = as_table(X, y, sample_weight)
    return table.y, table.weights
