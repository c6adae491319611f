"""What is fitted on a GPU, and what scikit-learn finds for the same data: figures that must agree, and how closely.

`tests/gpu/test_learn.py` fits on a GPU, by cuML and by this package's own algorithms; `tests/proof/test_estimators.py`
fits the same on the CPU, so that what is compared is known to be right before there is a GPU.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import gpucluster.learn as learn
import numpy as np
from gpucluster.learn.arrays import to_numpy
from sklearn.datasets import load_diabetes, load_digits

DIGITS, LABELS = (array[:1500] for array in load_digits(return_X_y=True))
MEASURED, PROGRESS = load_diabetes(return_X_y=True)
CENTERS = DIGITS[:10].astype(np.float32)


@dataclass(frozen=True)
class Fit:
    """One estimator on one table.

    Attributes
    ----------
    name : str
        Of the estimator, here and in scikit-learn.
    module : str
        Of scikit-learn.
    figures : callable
        ``figures(model, X, y)`` gives what is compared, by name. X and y are what the model was fitted to.
    tolerance : dict
        How far each figure may be from scikit-learn's, in parts of its largest absolute value.
    options : dict
    y : {"labels", "numbers", None}
        Of the digits, of the diabetes data, or of the digits without labels.
    """

    name: str
    module: str
    figures: Callable[[Any, Any, Any], Mapping[str, Any]]
    tolerance: Mapping[str, float]
    options: Mapping[str, Any] = field(default_factory=dict)
    y: Literal["labels", "numbers"] | None = "labels"

    def data(self) -> tuple[Any, Any]:
        """Return the rows, float32, and the labels or targets."""
        if self.y == "numbers":
            return MEASURED.astype(np.float32), PROGRESS.astype(np.float32)
        return DIGITS.astype(np.float32), LABELS.astype(np.int32)

    def fitted(self, X: Any, y: Any) -> Any:
        """Return this package's estimator, fitted."""
        return self._fit(getattr(learn, self.name), X, y)

    def reference(self) -> Any:
        """Return scikit-learn's estimator, fitted to the same data in float64."""
        X, y = self.data()
        theirs = getattr(importlib.import_module(f"sklearn.{self.module}"), self.name)
        return self._fit(theirs, X.astype(np.float64), y)

    def differing(self, model: Any, X: Any, y: Any) -> dict[str, float]:
        """Return the figures that differ by more than they may, and by how much."""
        rows, target = self.data()
        expected = self.figures(self.reference(), rows.astype(np.float64), target)
        found = self.figures(model, X, y)
        assert found.keys() == expected.keys() == self.tolerance.keys()
        apart = {name: _apart(found[name], expected[name]) for name in expected}
        return {name: each for name, each in apart.items() if not each <= self.tolerance[name]}

    def _fit(self, made: Any, X: Any, y: Any) -> Any:
        return made(**self.options).fit(*([X] if self.y is None else [X, y]))


def host(value: Any) -> Any:
    """Return an array, a Dask collection or a number as NumPy has it."""
    value = value.compute() if hasattr(value, "compute") else value
    return to_numpy(value.to_numpy() if hasattr(value, "to_numpy") else value)


def _apart(found: Any, expected: Any) -> float:
    one, other = host(found).astype(np.float64), host(expected).astype(np.float64)
    if one.shape != other.shape or not np.isfinite(one).all():
        return float("inf")
    return float(np.abs(one - other).max() / max(float(np.abs(other).max()), 1e-12))


def _coefficients(model: Any, _X: Any, _y: Any) -> dict[str, Any]:
    return {"coef": np.ravel(host(model.coef_)), "intercept": np.ravel(host(model.intercept_))}


def _spectrum(model: Any, X: Any, _y: Any) -> dict[str, Any]:
    # Directions are known up to their sign.
    return {
        "singular values": model.singular_values_,
        "components": np.abs(host(model.components_)),
        "transformed": np.abs(host(model.transform(X))[:100]),
    }


def _clusters(model: Any, X: Any, _y: Any) -> dict[str, Any]:
    rows, centers = (host(array).astype(np.float64) for array in (X, model.cluster_centers_))
    nearest = ((rows[:, None, :] - centers) ** 2).sum(axis=2).argmin(axis=1)
    return {"inertia": model.inertia_, "rows with their nearest centre": np.mean(host(model.predict(X)) == nearest)}


def _accuracy(model: Any, X: Any, y: Any) -> dict[str, Any]:
    return {"accuracy": np.mean(host(model.predict(X)).astype(int) == host(y).astype(int))}


def _probabilities(model: Any, X: Any, y: Any) -> dict[str, Any]:
    return {"log prob": model.feature_log_prob_, **_accuracy(model, X, y)}


def _r2(model: Any, X: Any, y: Any) -> dict[str, Any]:
    apart = host(model.predict(X)) - host(y)
    return {"r2": 1 - np.mean(apart.astype(np.float64) ** 2) / np.var(host(y))}


def _distances(model: Any, X: Any, _y: Any) -> dict[str, Any]:
    # Without the distance of a point to itself: zero, but for rounding.
    return {"distances": host(model.kneighbors(X, n_neighbors=4)[0])[:, 1:]}


def _scaled(model: Any, X: Any, _y: Any) -> dict[str, Any]:
    return {"mean": model.mean_, "transformed": model.transform(X)}


def _stretched(model: Any, X: Any, _y: Any) -> dict[str, Any]:
    return {"largest": model.max_abs_, "transformed": model.transform(X)}


def _moved(model: Any, X: Any, _y: Any) -> dict[str, Any]:
    return {"smallest": model.data_min_, "largest": model.data_max_, "transformed": model.transform(X)}


_SPECTRAL = {"singular values": 1e-3, "components": 1e-2, "transformed": 1e-2}
_LINE = {"coef": 1e-2, "intercept": 1e-3}
_TREES = {"n_estimators": 20, "random_state": 0}
_START = {"n_clusters": 10, "init": CENTERS, "n_init": 1, "max_iter": 20, "tol": 0}
_FITS = (
    Fit("KMeans", "cluster", _clusters, {"inertia": 1e-3, "rows with their nearest centre": 1e-2}, _START, y=None),
    Fit("PCA", "decomposition", _spectrum, _SPECTRAL, {"n_components": 4}, y=None),
    Fit("TruncatedSVD", "decomposition", _spectrum, _SPECTRAL, {"n_components": 4, "random_state": 0}, y=None),
    Fit("LinearRegression", "linear_model", _coefficients, _LINE, y="numbers"),
    Fit("Ridge", "linear_model", _coefficients, _LINE, {"alpha": 0.1}, y="numbers"),
    Fit("Lasso", "linear_model", _coefficients, _LINE, {"alpha": 0.1}, y="numbers"),
    Fit("ElasticNet", "linear_model", _coefficients, _LINE, {"alpha": 0.01, "l1_ratio": 0.5}, y="numbers"),
    Fit("LogisticRegression", "linear_model", _accuracy, {"accuracy": 0.01}, {"max_iter": 500}),
    Fit("GaussianNB", "naive_bayes", _accuracy, {"accuracy": 0.01}),
    Fit("MultinomialNB", "naive_bayes", _probabilities, {"log prob": 1e-4, "accuracy": 1e-3}),
    Fit("RandomForestClassifier", "ensemble", _accuracy, {"accuracy": 0.03}, _TREES),
    # Trees are drawn in other ways: only that they fit their data as well.
    Fit("RandomForestRegressor", "ensemble", _r2, {"r2": 0.3}, _TREES, y="numbers"),
    Fit("NearestNeighbors", "neighbors", _distances, {"distances": 1e-3}, y=None),
    Fit("KNeighborsClassifier", "neighbors", _accuracy, {"accuracy": 0.005}),
    Fit("KNeighborsRegressor", "neighbors", _r2, {"r2": 0.01}, y="numbers"),
    Fit("MaxAbsScaler", "preprocessing", _stretched, {"largest": 1e-6, "transformed": 1e-6}, y=None),
    Fit("MinMaxScaler", "preprocessing", _moved, {"smallest": 1e-6, "largest": 1e-6, "transformed": 1e-6}, y=None),
    Fit("StandardScaler", "preprocessing", _scaled, {"mean": 1e-4, "transformed": 1e-3}, y=None),
)
FITS = {fit.name: fit for fit in _FITS}
"""All of them, by the estimator's name."""
