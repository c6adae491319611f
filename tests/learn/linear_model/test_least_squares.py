"""Linear, ridge, lasso and elastic net regression: scikit-learn's coefficients for any blocks."""

from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model as reference
from gpucluster import datasets
from gpucluster.learn import PCA, ElasticNet, Lasso, LinearRegression, LogisticRegression, Ridge, StandardScaler
from gpucluster.learn.errors import InvalidData
from sklearn import decomposition, preprocessing
from sklearn.datasets import load_diabetes, load_digits

DIABETES = load_diabetes(scaled=False)
X, Y = DIABETES.data, DIABETES.target
TARGETS = np.column_stack([Y, X[:, 2] * 3 - Y, X[:, 3] * 4 + Y])
WEIGHTS = np.random.default_rng(0).random(len(X))
ESTIMATORS = [
    (LinearRegression, {}),
    (LinearRegression, {"positive": True}),
    (Ridge, {"alpha": 3.0}),
    (Ridge, {"alpha": 3.0, "positive": True, "tol": 1e-13}),
    (Lasso, {"alpha": 0.7, "tol": 1e-10, "max_iter": 100_000}),
    (ElasticNet, {"alpha": 0.4, "l1_ratio": 0.3, "tol": 1e-10, "max_iter": 100_000}),
    (ElasticNet, {"alpha": 0.4, "positive": True, "tol": 1e-10, "max_iter": 100_000}),
]
NAMES = [f"{kind.__name__} {options.get('positive', '')}".strip() for kind, options in ESTIMATORS]


def of_scikit_learn(kind: Any, options: dict[str, Any]) -> Any:
    return getattr(reference, kind.__name__)(**options)


def same(ours: Any, theirs: Any, *, tolerance: float = 2e-6) -> None:
    for name in ("coef_", "intercept_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert np.shape(mine) == np.shape(other), name
        np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance * np.abs(other).max(), err_msg=name)


@pytest.mark.parametrize(("kind", "options"), ESTIMATORS, ids=NAMES)
@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
def test_coefficients_for_any_blocks(dask_client: Any, split: Any, kind: Any, options: Any, n_blocks: int) -> None:
    ours = kind(**options).fit(split(X, n_blocks, empty=True), split(Y, n_blocks, empty=True))
    same(ours, of_scikit_learn(kind, options).fit(X, Y))


@pytest.mark.parametrize(("kind", "options"), ESTIMATORS, ids=NAMES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("y", [Y, TARGETS], ids=["one target", "three"])
def test_options_weights_and_targets(
    split: Any, kind: Any, options: Any, fit_intercept: bool, weighted: bool, y: Any
) -> None:
    weights = WEIGHTS if weighted else None
    ours = kind(**options, fit_intercept=fit_intercept)
    ours.fit(split(X, 3), split(y, 3), sample_weight=None if weights is None else split(weights, 3))
    theirs = of_scikit_learn(kind, {**options, "fit_intercept": fit_intercept}).fit(X, y, sample_weight=weights)
    same(ours, theirs)
    np.testing.assert_allclose(ours.predict(split(X, 2)).compute(), theirs.predict(X), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(ours.get_combined_model().predict(X), theirs.predict(X), rtol=1e-5, atol=1e-4)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-6)


@pytest.mark.parametrize("factor", [1e-300, 1e-165, 1e160, 1e300])
@pytest.mark.parametrize(("kind", "options"), [ESTIMATORS[0], ESTIMATORS[4]], ids=["LinearRegression", "Lasso"])
def test_scaled_weights_give_same_result(split: Any, kind: Any, options: Any, factor: float) -> None:
    theirs = of_scikit_learn(kind, options).fit(X, Y, sample_weight=WEIGHTS)
    same(kind(**options).fit(split(X, 3), split(Y, 3), sample_weight=split(WEIGHTS * factor, 3)), theirs)


def test_dependent_columns_get_the_solution_of_least_norm(dask_client: Any, split: Any) -> None:
    digits = load_digits().data  # three columns are always 0
    data = np.column_stack([digits, digits[:, 10] + digits[:, 11]])
    y = load_digits().target
    ours = LinearRegression().fit(split(data, 3), split(y, 3))
    theirs = reference.LinearRegression().fit(data, y)
    same(ours, theirs, tolerance=1e-8)
    assert ours.rank_ == theirs.rank_ == 61
    np.testing.assert_allclose(ours.singular_[:61], theirs.singular_[:61], rtol=1e-9)


def test_columns_of_different_scale_or_nearly_equal(split: Any) -> None:
    rng = np.random.default_rng(3)
    data = rng.normal(size=(3000, 4)) * [1e-2, 1, 1e2, 1]
    data[:, 3] = data[:, 1] + data[:, 3] * 1e-5
    y = data @ [300.0, 2.0, 0.01, -1.0] + rng.normal(size=3000) * 1e-7
    ours = LinearRegression(tol=1e-12).fit(split(data, 4), split(y, 4))
    theirs = reference.LinearRegression(tol=1e-12).fit(data, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-12)


def test_far_from_zero(split: Any) -> None:
    data = X + 1e6
    ours = LinearRegression().fit(split(data, 3), split(Y + 1e6, 3))
    np.testing.assert_allclose(ours.coef_, reference.LinearRegression().fit(X, Y).coef_, rtol=1e-6)


def test_fewer_rows_than_columns(split: Any) -> None:
    data, y = load_digits().data[:40], load_digits().target[:40]
    ours = LinearRegression().fit(split(data, 3), split(y, 3))
    same(ours, reference.LinearRegression().fit(data, y), tolerance=1e-8)
    assert ours.singular_.shape == (40,)
    same(Ridge(1e-3).fit(split(data, 3), split(y, 3)), reference.Ridge(1e-3, solver="svd").fit(data, y))


@pytest.mark.parametrize("alpha", [0.0, 1e-12, 1e-3, 1e6])
def test_ridge_with_any_penalty(split: Any, alpha: float) -> None:
    same(Ridge(alpha).fit(split(X, 3), split(Y, 3)), reference.Ridge(alpha, solver="svd").fit(X, Y), tolerance=1e-7)


def test_ridge_with_a_penalty_for_each_target(split: Any) -> None:
    alphas = np.array([0.1, 5.0, 100.0])
    ours = Ridge(alphas).fit(split(X, 3), split(TARGETS, 3))
    same(ours, reference.Ridge(alphas).fit(X, TARGETS))


def test_lasso_finds_the_same_zeros_in_as_many_iterations(split: Any) -> None:
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    for alpha in (0.1, 2.0, 20.0):
        ours = Lasso(alpha).fit(split(scaled, 3), split(Y, 3))
        theirs = reference.Lasso(alpha).fit(scaled, Y)
        np.testing.assert_array_equal(ours.coef_ == 0, theirs.coef_ == 0)
        assert abs(ours.n_iter_ - theirs.n_iter_) <= 1
        assert ours.dual_gap_ == pytest.approx(theirs.dual_gap_, abs=1e-3 * np.var(Y))
        np.testing.assert_array_equal(ours.sparse_coef_.toarray()[0], ours.coef_)


def test_warm_start_continues_from_the_last_fit(split: Any) -> None:
    ours = Lasso(0.5, warm_start=True, tol=1e-8, max_iter=50_000).fit(split(X, 2), split(Y, 2))
    first = ours.n_iter_
    assert ours.fit(split(X, 2), split(Y, 2)).n_iter_ < first


def test_float32_and_frames(dask_client: Any, split: Any) -> None:
    ours = LinearRegression().fit(split(X.astype(np.float32), 3), split(Y, 3))
    assert ours.coef_.dtype == ours.predict(split(X.astype(np.float32), 2)).dtype == np.float32
    same(ours, reference.LinearRegression().fit(X, Y), tolerance=1e-5)
    frame = dd.from_pandas(pd.DataFrame(X, columns=DIABETES.feature_names).assign(y=Y), npartitions=3)
    model = LinearRegression().fit(frame[DIABETES.feature_names], frame["y"])
    found = model.predict(frame[DIABETES.feature_names])
    assert isinstance(found, dd.Series)
    np.testing.assert_allclose(found.compute(), reference.LinearRegression().fit(X, Y).predict(X), rtol=1e-9)


@pytest.mark.parametrize(("kind", "options"), ESTIMATORS[::2], ids=NAMES[::2])
def test_bad_data_are_refused(split: Any, kind: Any, options: Any) -> None:
    model, broken_y, broken_X = kind(**options), Y.copy(), X.copy()
    broken_y[5], broken_X[7, 2] = np.nan, np.inf
    for sentence, *given in (
        ("y: contains NaN", split(X, 3), split(broken_y, 3)),
        ("X: contains NaN", split(broken_X, 3), split(Y, 3)),
        ("y: has 100 rows, but X has 442", split(X, 3), split(Y[:100], 3)),
        ("not all 0", split(X, 3), split(Y, 3), np.zeros(len(X))),
        ("finite, non-negative numbers", split(X, 3), split(Y, 3), -np.ones(len(X))),
        ("y: must be numbers", split(X, 3), split(Y.astype(str), 3)),
        ("target y is None", split(X, 3), None),
        (r"0 row\(s\)", split(X[:0], 1), split(Y[:0], 1)),
    ):
        with pytest.raises(InvalidData, match=sentence):
            model.fit(*given)


COLUMNS = ["dep_delay", "distance", "air_time", "hour"]


@pytest.mark.full
def test_delays_of_flights(dask_client: Any) -> None:
    flights = datasets.flights()[[*COLUMNS, "arr_delay"]].dropna().astype("float64")
    table = flights.compute()
    ours = LinearRegression().fit(flights[COLUMNS], flights["arr_delay"])
    theirs = reference.LinearRegression().fit(table[COLUMNS], table["arr_delay"])
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)

    scaler, truth = StandardScaler().fit(flights[COLUMNS]), preprocessing.StandardScaler().fit(table[COLUMNS])
    np.testing.assert_allclose(scaler.scale_, truth.scale_, rtol=1e-10)
    options: dict[str, Any] = {"tol": 1e-7, "max_iter": 200}
    late = LogisticRegression(**options).fit(scaler.transform(flights[COLUMNS]), flights["arr_delay"] > 30)
    theirs = reference.LogisticRegression(**options).fit(truth.transform(table[COLUMNS]), table["arr_delay"] > 30)
    np.testing.assert_allclose(late.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.full
def test_components_of_photographs(dask_client: Any) -> None:
    X = datasets.patches(5, photo="china", n_blocks=7)
    truth = decomposition.PCA(10, svd_solver="full").fit(X.compute().astype(np.float64))
    ours = PCA(10).fit(X)
    assert ours.components_.dtype == np.float32
    np.testing.assert_allclose(ours.explained_variance_ratio_, truth.explained_variance_ratio_, rtol=1e-4)
    np.testing.assert_allclose(ours.components_[:6], truth.components_[:6], atol=1e-4)
