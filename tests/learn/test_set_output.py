"""``set_output(transform="pandas")`` of scikit-learn, for data on Dask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
import pytest
import sklearn
from gpucluster import learn
from gpucluster.learn.errors import NotSupported

TRANSFORMERS = {
    "ColumnTransformer": lambda: learn.ColumnTransformer([("scaled", learn.StandardScaler(), [0, 1])]),
    "KMeans": lambda: learn.KMeans(2, random_state=0),
    "MaxAbsScaler": learn.MaxAbsScaler,
    "MinMaxScaler": learn.MinMaxScaler,
    "OneHotEncoder": lambda: learn.OneHotEncoder(sparse_output=False),
    "OrdinalEncoder": learn.OrdinalEncoder,
    "PCA": lambda: learn.PCA(1, random_state=0),
    "StandardScaler": learn.StandardScaler,
    "TruncatedSVD": lambda: learn.TruncatedSVD(1, random_state=0),
}


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
        with pytest.raises(NotSupported, match="not of polars"):
            learn.StandardScaler().set_output(transform="polars").fit_transform(X)
