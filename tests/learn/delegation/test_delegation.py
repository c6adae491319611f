"""Translation to cuML and back, against a SIMULATED ``cuml.dask`` (tests/fakes/rapids): no GPU is needed or proved."""

import inspect
import pickle
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import gpucluster.learn as learn
import numpy as np
import pandas as pd
import pytest
from gpucluster.learn import config_context
from gpucluster.learn.delegation import DELEGATED, NOT_DELEGATED, methods
from gpucluster.learn.delegation.methods import delegable, is_delegable, options_for
from gpucluster.learn.errors import InvalidData, InvalidParameter, NotSupported
from gpucluster.learn.estimator import DistributedEstimator
from sklearn.base import TransformerMixin, clone
from sklearn.datasets import load_diabetes, load_digits

from tests.learn.shared import ESTIMATORS, refused

FAKES = str(Path(__file__).parents[2] / "fakes" / "rapids")
DIGITS, LABELS = load_digits(return_X_y=True)
X, Y = load_diabetes(return_X_y=True)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Install the simulated cuML, and return the list of its calls."""
    monkeypatch.syspath_prepend(FAKES)
    before = dask.config.get("dataframe.shuffle.method", None)
    with config_context(engine="cuml"):
        methods.cuml_class("cuml.dask.simulated", "CALLS")
        import cuml

        assert cuml.SIMULATED
        noted = sys.modules["cuml.dask.simulated"].CALLS
        noted.clear()
        yield noted
    assert dask.config.get("dataframe.shuffle.method", None) == before
    for name in [name for name in sys.modules if name.partition(".")[0] == "cuml"]:
        del sys.modules[name]


def made(name: str) -> Any:
    options: dict[str, dict[str, Any]] = {
        "KMeans": {"init": "k-means||", "random_state": 0},
        "PCA": {"n_components": 4},
        "RandomForestClassifier": {"n_estimators": 5, "random_state": 0},
        "RandomForestRegressor": {"n_estimators": 5, "random_state": 0},
    }
    return getattr(learn, name)(**options.get(name, {}))


NUMERIC = [name for name, entry in DELEGATED.items() if entry.numbers]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("OrdinalEncoder", {"handle_unknown": "ignore"}),
        ("RandomForestClassifier", {"split_criterion": "entropy", "max_leaves": -1}),
        ("ElasticNet", {"alpha": 0.5}),
    ],
)
def test_keywords_of_cuml_are_passed_on(name: str, given: dict[str, Any]) -> None:
    assert options_for(getattr(learn, name)(**given), DELEGATED[name]).items() >= given.items()


@pytest.mark.parametrize("name", NUMERIC)
def test_fitted_models_call_cuml(dask_client: Any, split: Any, calls: list[Any], name: str) -> None:
    entry, estimator = DELEGATED[name], made(name)
    target = LABELS if entry.label_type else LABELS * 1.5
    lazy = split(DIGITS[:300].astype(np.float32), 3)
    given = [lazy, split(target[:300], 3)] if hasattr(estimator, "predict") and name != "KMeans" else [lazy]
    estimator.fit(*given)
    assert [call[:2] for call in calls if call[0] == name][0] == (name, "__init__")
    assert estimator.n_features_in_ == 64
    delegate = methods.fitted_part(estimator._delegate)
    for attribute in entry.attributes:
        value = getattr(estimator, attribute)
        assert isinstance(value, np.ndarray | float | int), attribute
        np.testing.assert_allclose(value, getattr(delegate, attribute))
    for method in entry.methods:
        if method == "inverse_transform":
            continue
        calls.clear()
        result = getattr(estimator, method)(lazy)
        assert calls, method
        if method in {"predict", "predict_proba", "transform"}:
            assert isinstance(result, da.Array)
            expected = getattr(estimator.get_combined_model(), method)(DIGITS[:300].astype(np.float32))
            np.testing.assert_allclose(result.compute(), expected, rtol=1e-4, atol=1e-4)
    if entry.label_type:
        assert estimator.predict(lazy).dtype == LABELS.dtype
    assert estimator.get_combined_model() is delegate._model
    with config_context(engine="gpucluster"):
        estimator.fit(*given)
    assert "_delegate" not in vars(estimator)


@pytest.mark.parametrize("name", [name for name in NUMERIC if DELEGATED[name].complete])
def test_copied_attributes_predict_without_cuml(
    dask_client: Any, split: Any, calls: list[Any], name: str, tmp_path: Any
) -> None:
    """A model fitted by cuML can be saved, loaded, and used without cuML."""
    entry, estimator = DELEGATED[name], made(name)
    lazy = split(DIGITS[:300], 3)
    target = split((LABELS if entry.label_type else LABELS * 1.5)[:300], 3)
    estimator.fit(lazy, target) if hasattr(estimator, "predict") and name != "KMeans" else estimator.fit(lazy)
    method = entry.methods[0]
    theirs = getattr(estimator, method)(lazy).compute()
    learn.save(estimator, tmp_path / "model")
    loaded = learn.load(tmp_path / "model")
    calls.clear()
    np.testing.assert_allclose(getattr(loaded, method)(lazy).compute(), theirs, rtol=1e-4, atol=1e-4)
    found = getattr(estimator, method)(DIGITS[:300].astype(np.float32))
    np.testing.assert_allclose(found, theirs, rtol=1e-4, atol=1e-4)
    assert not calls


def test_encoders(dask_client: Any, calls: list[Any]) -> None:
    frame = dd.from_pandas(pd.DataFrame({"age": [3, 1, 2, 3, 1]}), npartitions=2)
    labels = learn.LabelEncoder().fit(frame["age"])
    np.testing.assert_array_equal(labels.classes_, [1, 2, 3])
    assert list(labels.transform(frame["age"]).compute()) == [2, 0, 1, 2, 0]
    columns = learn.OneHotEncoder(drop="first").fit(frame)
    assert ("OneHotEncoder", "fit", {"X": "DataFrame", "y": None}) in calls
    assert columns.transform(frame).compute().shape == (5, 2)


def test_positional_and_keyword_options_reach_cuml(dask_client: Any, split: Any, calls: list[Any]) -> None:
    lazy = split(DIGITS[:300], 3)
    model = learn.NearestNeighbors(n_neighbors=5).fit(lazy)
    for distances, rows in (model.kneighbors(lazy, 3), model.kneighbors(n_neighbors=3, X=lazy)):
        assert distances.shape == rows.shape == (300, 3)
    assert [details for _, method, details in calls if method == "kneighbors"] == [{"n_neighbors": 3}] * 2


def test_data_frames(dask_client: Any, calls: list[Any]) -> None:
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcdefghij")), npartitions=3)
    estimator = learn.LinearRegression().fit(frame, dd.from_pandas(pd.Series(Y), npartitions=3))
    assert ("LinearRegression", "fit", {"X": "DataFrame", "y": "float64"}) in calls
    assert list(estimator.feature_names_in_) == list("abcdefghij")
    assert len(estimator.predict(frame).compute()) == len(X)
    refused(InvalidData, "columns", lambda: estimator.predict(frame[list("jihgfedcba")]))


def test_unsupported_fits_name_the_reason(dask_client: Any, split: Any, calls: list[Any]) -> None:
    lazy, target = split(DIGITS, 3), split(LABELS, 3)
    words = split(LABELS.astype(str), 3)
    for estimator, given, sentence in [
        (learn.GaussianNB(), (lazy, target), "only MultinomialNB"),
        (learn.StandardScaler(), (lazy,), "no multi-GPU version"),
        (learn.KMeans(), (lazy,), "init: on multiple GPUs, cuML supports 'k-means|"),
        (learn.KMeans(init="random"), (lazy,), "n_init"),
        (learn.KMeans(init="k-means||"), (lazy, None, split(np.ones(len(DIGITS)), 3)), "sample_weight"),
        (learn.PCA(), (lazy,), "n_components"),
        (learn.LinearRegression(positive=True), (lazy, target), "positive"),
        (learn.Ridge(), (lazy, target), "does not expose its coefficients"),
        (learn.LogisticRegression(), (lazy, words), "LabelEncoder"),
        (learn.KNeighborsClassifier(weights="distance"), (lazy, target), "weights"),
        (learn.NearestNeighbors(metric="cosine"), (lazy,), "metric"),
        (learn.NearestNeighbors(p=1), (lazy,), "p=2"),
        (learn.RandomForestClassifier(class_weight="balanced"), (lazy, target), "class_weight"),
        (learn.LinearRegression(), (DIGITS, LABELS), "in memory"),
    ]:
        with pytest.raises(NotSupported, match="cannot be fitted by cuML") as error:
            estimator.fit(*given)
        assert sentence in str(error.value)
    assert not [call for call in calls if call[1] == "fit"]


def test_given_centers_start_a_single_run(dask_client: Any, split: Any, calls: list[Any]) -> None:
    for centers in (DIGITS[:3], DIGITS[:3].tolist()):
        calls.clear()
        learn.KMeans(3, init=centers, max_iter=5, tol=0).fit(split(DIGITS, 3))
        [made] = [details for _, method, details in calls if method == "__init__"]
        assert (made["n_init"], made["max_iter"]) == (1, 5)
        assert 0 < made["tol"] < 1e-30, "cuML refuses zero"
        np.testing.assert_array_equal(made["init"], DIGITS[:3])
    with pytest.raises(NotSupported, match="init: on multiple GPUs, cuML supports"):
        learn.KMeans(3, init=lambda *_, **__: DIGITS[:3]).fit(split(DIGITS, 3))


def test_auto_takes_cuml_for_data_on_gpus_only(
    dask_client: Any, split: Any, calls: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with config_context(engine="auto"):
        learn.MultinomialNB().fit(split(DIGITS, 2), split(LABELS, 2))
        assert not calls
        monkeypatch.setattr(methods, "on_gpus", lambda data: True)
        learn.MultinomialNB().fit(split(DIGITS, 2), split(LABELS, 2))
        assert calls
        calls.clear()
        learn.GaussianNB().fit(split(DIGITS, 2), split(LABELS, 2))  # not in cuML
        assert not calls
        for name in ("KMeans", "PCA", "TruncatedSVD"):  # ours is faster
            made(name).fit(split(DIGITS, 2))
        for name in ("LinearRegression", "Lasso", "ElasticNet"):
            made(name).fit(split(X, 2), split(Y, 2))
        assert not calls
        learn.KMeans(190, init="k-means||", max_iter=1).fit(split(DIGITS, 2))  # too many for the kernel
        assert calls
        for wrong in (None, float("nan"), 0, "8"):
            with pytest.raises(InvalidParameter, match="n_clusters"):
                learn.KMeans(wrong).fit(split(DIGITS, 2))


def test_without_cuml(dask_client: Any, split: Any) -> None:
    with config_context(engine="cuml"), pytest.raises(NotSupported, match="not installed"):
        learn.LinearRegression().fit(split(X, 2), split(Y, 2))


def test_models_in_cumls_format(dask_client: Any, split: Any, calls: list[Any], tmp_path: Any) -> None:
    forest = made("RandomForestClassifier").fit(split(DIGITS, 2), split(LABELS, 2))
    plain = forest.get_combined_model()
    np.testing.assert_array_equal(forest.predict(DIGITS), plain.predict(DIGITS))  # by way of a worker
    np.testing.assert_allclose(forest.predict_proba(DIGITS[:5].tolist()), plain.predict_proba(DIGITS[:5]))
    assert calls[-1][1] == "predict_proba"
    refused(ValueError, "NaN", lambda: forest.predict(np.full((1, 64), np.nan)))
    distances, rows = made("NearestNeighbors").fit(split(DIGITS, 2)).kneighbors(DIGITS[:3], 2)
    assert distances.shape == rows.shape == (3, 2)
    with pytest.raises(NotSupported, match="get_combined_model"):
        learn.OrdinalEncoder().fit(dd.from_pandas(pd.DataFrame({"age": [3, 1]}), npartitions=1)).transform([[1]])
    refused(NotSupported, "cuML's format", lambda: learn.save(forest, tmp_path / "model"))


def test_every_estimator_is_delegated_or_has_reason() -> None:
    assert set(ESTIMATORS) <= set(DELEGATED) | set(NOT_DELEGATED)
    for name in set(ESTIMATORS) & set(DELEGATED):
        entry, parameters = DELEGATED[name], inspect.signature(getattr(learn, name)).parameters
        assert {*entry.same, *entry.renamed} <= set(parameters), name
        shared = {*entry.values, *entry.without_effect} - {"weights"}
        assert shared <= set(parameters), (name, shared - set(parameters))


def test_translation_is_cheap(dask_client: Any, split: Any, calls: list[Any]) -> None:
    """Translating computes nothing, so it is quick for a collection that could never be computed."""
    endless = da.ones((10_000_000_000, 4), chunks=(1_000_000_000, 4))
    estimator = learn.LinearRegression()
    begun = time.monotonic()
    assert methods.cuml_for(estimator, endless, endless[:, 0]) is not None
    assert time.monotonic() - begun < 30


WITHOUT_DATA = frozenset({"get_covariance", "get_feature_names_out", "get_precision", "set_params"})
"""Public methods that take no data."""


def own_methods(cls: type) -> dict[str, Any]:
    """Return the public methods of an estimator that are not scikit-learn's."""
    found = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}
    return {
        name: method
        for name, method in found.items()
        if inspect.isfunction(method) and not inspect.unwrap(method).__module__.startswith("sklearn")
    }


def undecorated(cls: type) -> set[str]:
    return {name for name, method in own_methods(cls).items() if not is_delegable(method)} - WITHOUT_DATA


@pytest.mark.parametrize("cls", ESTIMATORS.values())
def test_every_public_method_has_the_decorator(cls: type) -> None:
    assert undecorated(cls) == set()
    assert {"fit", "get_combined_model"} <= own_methods(cls).keys()


def test_a_missing_decorator_is_found() -> None:
    class Forgetful(TransformerMixin, DistributedEstimator):
        @delegable
        def fit(self, X: Any) -> Any:
            return self

        def transform(self, X: Any) -> Any:  # wrapped by scikit-learn, but without the decorator
            return X

        def get_feature_names_out(self) -> Any:
            return []

    assert undecorated(Forgetful) == {"transform"}


@pytest.mark.parametrize("cls", ESTIMATORS.values())
def test_the_decorator_is_transparent(cls: type) -> None:
    """Signatures, documentation, metadata routing, cloning and pickling are those of a plain method."""
    for name, method in own_methods(cls).items():
        parameters = inspect.signature(method).parameters
        assert next(iter(parameters)) == "self"
        assert not {each.kind for each in parameters.values()} & {inspect.Parameter.VAR_POSITIONAL}, name
        assert method.__name__ == name
        assert inspect.getdoc(method), name
    weighted = "sample_weight" in inspect.signature(cls.fit).parameters  # type: ignore[attr-defined]
    assert hasattr(cls, "set_fit_request") == weighted
    estimator = cls()
    # As text, in which NaN is NaN.
    assert str(clone(estimator).get_params()) == str(estimator.get_params())
    assert str(pickle.loads(pickle.dumps(estimator)).get_params()) == str(estimator.get_params())


def test_wrong_arguments_raise_the_type_error_of_the_method() -> None:
    refused(TypeError, r"fit\(\) missing 1 required positional argument: 'X'", lambda: learn.KMeans().fit())
    with pytest.raises(TypeError, match=r"fit\(\) got an unexpected keyword argument 'weights'"):
        learn.KMeans().fit([[1.0]], weights=[1])
