"""No estimator depends on the blocks of the data, or on whether rows are sorted."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import dask.array as da
import gpucluster.learn as learn
import numpy as np
import pytest
from sklearn.datasets import load_digits

from tests.learn.shared import ESTIMATORS

X, LABELS = load_digits(return_X_y=True)
X = X[:, ::2] / 16 + np.random.default_rng(0).uniform(0, 1e-2, size=(len(X), 32))
WORDS = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])[LABELS]
NUMBERS = X @ np.linspace(-1, 2, 32) + LABELS
SHUFFLED = np.random.default_rng(1).permutation(len(X))
TEST, TRAIN = SHUFFLED[:400], SHUFFLED[400:900]
ORDERS = {"shuffled": TRAIN, "sorted by class": TRAIN[np.argsort(LABELS[TRAIN], kind="stable")]}
CUTS = {"even": (125, 125, 125, 125), "uneven": (1, 0, 180, 2, 317)}
"""Lengths of blocks of 500 rows. Blocks of sorted rows have few classes; uneven ones include an empty block."""


class Case(NamedTuple):
    """An estimator, its target, and the figures that are compared."""

    make: Callable[[], Any]
    y: Any
    figures: Callable[[Any], Any]
    same: float = 1e-7
    """Tolerance between figures of different blocks and of a single block, relative to the largest."""
    alike: float | None = None
    """Tolerance between shuffled and sorted rows; default: ``same``."""


def score(y: Any) -> Callable[[Any], float]:
    return lambda model: float(model.score(X[TEST], y[TEST]))


def coefficients(model: Any) -> Any:
    return np.append(np.ravel(model.coef_), model.intercept_)


def spectrum(model: Any) -> Any:
    return np.append(model.singular_values_, np.abs(model.transform(X[TEST])))


def sizes(model: Any) -> Any:
    return np.sort(np.bincount(np.asarray(model.labels_) + 1))


def distances(model: Any) -> Any:
    return model.kneighbors(X[TEST], 4)[0]


CASES = {
    "DBSCAN": Case(lambda: learn.DBSCAN(eps=0.8), None, sizes),
    "ElasticNet": Case(lambda: learn.ElasticNet(alpha=0.01), NUMBERS, coefficients, same=1e-3),
    "GaussianNB": Case(learn.GaussianNB, WORDS, lambda model: model.predict_proba(X[TEST])),
    "KMeans": Case(lambda: learn.KMeans(10, random_state=0, n_init=3), None, lambda model: model.inertia_, alike=0.05),
    "KNeighborsClassifier": Case(learn.KNeighborsClassifier, WORDS, lambda model: model.predict_proba(X[TEST])),
    "KNeighborsRegressor": Case(learn.KNeighborsRegressor, NUMBERS, lambda model: model.predict(X[TEST])),
    "Lasso": Case(lambda: learn.Lasso(alpha=0.01), NUMBERS, coefficients, same=1e-3),
    "LinearRegression": Case(learn.LinearRegression, NUMBERS, coefficients),
    "LogisticRegression": Case(
        lambda: learn.LogisticRegression(max_iter=1000, tol=1e-6), WORDS, lambda model: model.predict_proba(X[TEST]),
        same=1e-3,
    ),
    "MLPClassifier": Case(
        lambda: learn.MLPClassifier((16,), max_iter=12, learning_rate_init=0.02, random_state=0, batch_size=50), WORDS,
        score(WORDS), same=1e-2, alike=0.05,
    ),
    "MaxAbsScaler": Case(learn.MaxAbsScaler, None, lambda model: model.scale_),
    "MinMaxScaler": Case(learn.MinMaxScaler, None, lambda model: np.append(model.min_, model.scale_)),
    "MultinomialNB": Case(learn.MultinomialNB, WORDS, lambda model: model.feature_log_prob_),
    "NearestNeighbors": Case(learn.NearestNeighbors, None, distances),
    "PCA": Case(lambda: learn.PCA(6), None, spectrum),
    "RandomForestClassifier": Case(
        lambda: learn.RandomForestClassifier(60, random_state=0), WORDS, score(WORDS), alike=0.01
    ),
    "RandomForestRegressor": Case(
        lambda: learn.RandomForestRegressor(30, random_state=0), LABELS * 1.0, score(LABELS * 1.0), alike=0.1
    ),
    "Ridge": Case(learn.Ridge, NUMBERS, coefficients),
    "StandardScaler": Case(learn.StandardScaler, None, lambda model: np.append(model.mean_, model.scale_)),
    "TruncatedSVD": Case(lambda: learn.TruncatedSVD(6), None, spectrum),
}  # fmt: skip
OF_LABELS = {"LabelBinarizer", "LabelEncoder"}
OF_CATEGORIES = {"OneHotEncoder", "OrdinalEncoder"}


def test_every_estimator_has_a_case() -> None:
    assert set(ESTIMATORS) == set(CASES) | OF_LABELS | OF_CATEGORIES


def in_blocks(array: Any, lengths: tuple[int, ...]) -> Any:
    return da.from_array(array, chunks=(lengths, *[(length,) for length in array.shape[1:]]), name=False)


def apart(found: Any, expected: Any) -> float:
    one, other = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    assert one.shape == other.shape
    return float(np.abs(one - other).max() / np.abs(other).max())


@pytest.mark.full
@pytest.mark.parametrize("name", CASES)
def test_figures(dask_client: Any, name: str) -> None:
    case = CASES[name]
    whole = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not converged
        for order, rows in ORDERS.items():
            data = [X[rows]] if case.y is None else [X[rows], case.y[rows]]
            whole[order] = case.figures(case.make().fit(*data))
            for cut, lengths in CUTS.items():
                model = case.make().fit(*[in_blocks(part, lengths) for part in data])
                assert apart(case.figures(model), whole[order]) <= case.same, (order, cut)
    assert apart(whole["sorted by class"], whole["shuffled"]) <= (case.same if case.alike is None else case.alike)


@pytest.mark.parametrize("name", sorted(OF_LABELS | OF_CATEGORIES))
def test_encoders(dask_client: Any, name: str) -> None:
    table = WORDS if name in OF_LABELS else np.stack([WORDS, (LABELS % 3).astype(str)], axis=1).astype(object)
    expected = np.asarray(getattr(learn, name)().fit(table[TRAIN]).transform(table[TEST]))
    for rows in ORDERS.values():
        for lengths in CUTS.values():
            model = getattr(learn, name)().fit(in_blocks(table[rows], lengths))
            np.testing.assert_array_equal(np.asarray(model.transform(in_blocks(table[TEST], (1, 0, 399)))), expected)
            np.testing.assert_array_equal(np.asarray(model.transform(table[TEST])), expected)
