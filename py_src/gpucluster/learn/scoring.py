"""Scores of estimators without gathering predictions."""

from __future__ import annotations

from sklearn.base import ClassifierMixin, RegressorMixin

from .arrays import Data
from .clients import computing_with


class ScoredClassifier(ClassifierMixin):
    """A classifier whose score is the accuracy, computed where the data are."""

    def score(self, X: Data, y: Data, sample_weight: Data | None = None) -> float:
        """Return the share of the rows of X whose label in y is predicted rightly; see `accuracy_score`."""
        from .metrics.classification import accuracy_score

        with computing_with(getattr(self, "_client", None)):
            return accuracy_score(y, self.predict(X), sample_weight=sample_weight)


class ScoredRegressor(RegressorMixin):
    """A regressor whose score is R², computed where the data are."""

    def score(self, X: Data, y: Data, sample_weight: Data | None = None) -> float:
        """Return the share of the variance of y that the prediction explains; see `r2_score`."""
        from .metrics.regression import r2_score

        with computing_with(getattr(self, "_client", None)):
            return float(r2_score(y, self.predict(X), sample_weight=sample_weight))
