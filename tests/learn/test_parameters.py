"""Declared parameters: the constructor, checks before fitting, and ``set_output(transform="pandas")`` for Dask data."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn
from gpucluster import learn
from gpucluster.learn import PCA, KMeans, Lasso, RandomForestRegressor
from gpucluster.learn.errors import InvalidParameter, NotSupported
from gpucluster.learn.estimator import DistributedEstimator
from gpucluster.learn.parameters import SWITCH, Rule, either, fitted, one_of, parameter, real, unset, whole

from tests.learn.shared import ESTIMATORS


class Counted(DistributedEstimator):
    steps: int = parameter(3, whole(1), kw_only=False)
    share: float = parameter(0.5, real(0, 1, above=True))
    name: str | None = None
    result_: int = fitted()


class Renamed(Counted):
    name: str | None = "other"


def test_the_constructor_has_the_declared_parameters() -> None:
    assert Counted(5, name="x").get_params() == {"name": "x", "share": 0.5, "steps": 5}
    assert Renamed().get_params() == {"name": "other", "share": 0.5, "steps": 3}
    kinds = {name: each.kind.name for name, each in inspect.signature(Counted).parameters.items()}
    assert kinds == {"steps": "POSITIONAL_OR_KEYWORD", "share": "KEYWORD_ONLY", "name": "KEYWORD_ONLY"}
    assert not any(hasattr(Counted, name) for name in ("steps", "share", "name", "result_"))
    assert "l1_ratio" not in inspect.signature(Lasso).parameters
    with pytest.raises(TypeError, match="too many positional arguments"):
        Counted(5, 0.5)  # type: ignore[misc]
    with pytest.raises(TypeError, match="unexpected keyword argument 'step'"):
        Counted(step=5)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("rule", "right", "wrong"),
    [
        (whole(1), [1, np.int32(7)], [0, 1.0, True, "1", None]),
        (real(0), [0, 1e300, np.inf], [-1, np.nan, True, "0"]),
        (real(0, 1, above=True), [1, 0.5], [0, 1.1]),
        (one_of("a", None), ["a", None], ["b", 0, np.zeros(2)]),
        (either("auto", whole(1)), ["auto", 2], ["other", 0]),
        (SWITCH, [True, np.False_], [0, "no", None]),
        (unset("is not supported."), [None], [False, 0, True, "no"]),
        (
            unset("is not supported.", off=True),
            [None, False, np.False_, 0, np.int32(0), 0.0],
            [True, np.True_, 2, "no"],
        ),
    ],
)
def test_rules(rule: Rule, right: list[Any], wrong: list[Any]) -> None:
    for value in right:
        rule.check("option", value)
    for value in wrong:
        with pytest.raises((InvalidParameter, NotSupported), match="^option: "):
            rule.check("option", value)


def test_options_are_checked_before_the_data() -> None:
    for estimator in (KMeans(0), PCA(svd_solver="power"), RandomForestRegressor(oob_score=True)):
        with pytest.raises((InvalidParameter, NotSupported)):
            estimator.fit("no data", None)


@pytest.mark.parametrize("cls", ESTIMATORS.values())
def test_every_parameter_is_documented(cls: type) -> None:
    assert cls.__doc__ is not None
    described = cls.__doc__.partition("\nParameters\n")[2].partition("\nAttributes\n")[0]
    assert set(inspect.signature(cls).parameters) <= {*re.findall(r"\w+", described), "client"}


TRANSFORMERS = {
    "ColumnTransformer": lambda: learn.ColumnTransformer([("scaled", learn.StandardScaler(), [0, 1])]),
    "KMeans": lambda: learn.KMeans(2, random_state=0), "MaxAbsScaler": learn.MaxAbsScaler,
    "MinMaxScaler": learn.MinMaxScaler, "OneHotEncoder": lambda: learn.OneHotEncoder(sparse_output=False),
    "OrdinalEncoder": learn.OrdinalEncoder, "PCA": lambda: learn.PCA(1, random_state=0),
    "StandardScaler": learn.StandardScaler, "TruncatedSVD": lambda: learn.TruncatedSVD(1, random_state=0),
}  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("make", TRANSFORMERS.values(), ids=TRANSFORMERS)
@pytest.mark.parametrize("kind", ["array", "frame"])
def test_data_on_dask_give_lazy_data_frames(make: Callable[[], Any], kind: str) -> None:
    array = da.random.default_rng(0).integers(5, size=(40, 2), chunks=(10, 2))
    X: Any = array if kind == "array" else array.to_dask_dataframe(columns=["a", "b"])
    with dask.config.set(scheduler="sync"):
        model = make().set_output(transform="pandas")
        for lazy in (model.fit_transform(X), model.transform(X)):
            assert isinstance(lazy, dd.DataFrame)
            pd.testing.assert_frame_equal(lazy.compute(), model.transform(X.compute()))


def test_configuration_of_scikit_learn() -> None:
    X = da.random.default_rng(0).random((40, 2), chunks=(10, 2))
    with dask.config.set(scheduler="sync"):
        with sklearn.config_context(transform_output="pandas"):
            assert isinstance(learn.StandardScaler().fit_transform(X), dd.DataFrame)
        with pytest.raises(NotSupported, match="not polars"):
            learn.StandardScaler().set_output(transform="polars").fit_transform(X)
