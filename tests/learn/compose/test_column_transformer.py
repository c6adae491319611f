"""Different transformers for different columns, against scikit-learn's class on the same table in memory."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.compose
import sklearn.preprocessing
from gpucluster.learn import (
    ColumnTransformer,
    LogisticRegression,
    MaxAbsScaler,
    OneHotEncoder,
    StandardScaler,
    make_column_transformer,
)
from gpucluster.learn.errors import InvalidData, InvalidParameter
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

DRAW = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {
        "tree": np.sort(np.array(["ash", "oak", "birch"])[DRAW.integers(0, 3, 90)]),
        "age": DRAW.integers(1, 90, 90),
        "height": DRAW.random(90) * 30,
        "width": DRAW.random(90),
    },
    index=np.arange(90) * 3,
)
TALL = (FRAME["height"] > 15).to_numpy()


def columns_of(scale: Any, encode: Any, **options: Any) -> dict[str, Any]:
    transformers = [("size", scale, ["height", "width"]), ("kind", encode, ["tree"]), ("left", "passthrough", [1])]
    return {"transformers": transformers, **options}


@pytest.mark.parametrize("options", [{}, {"verbose_feature_names_out": False}, {"transformer_weights": {"size": 2.0}}])
def test_a_data_frame_gives_a_data_frame(dask_client: Any, options: dict[str, Any]) -> None:
    theirs = sklearn.compose.ColumnTransformer(
        **columns_of(sklearn.preprocessing.StandardScaler(), sklearn.preprocessing.OneHotEncoder(), **options)
    )
    expected = np.asarray(theirs.fit_transform(FRAME), dtype=float)
    lazy = dd.from_pandas(FRAME, npartitions=3)
    ours = ColumnTransformer(**columns_of(StandardScaler(), OneHotEncoder(), **options))
    found = ours.fit_transform(lazy)
    assert isinstance(found, dd.DataFrame)
    assert list(found.columns) == list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    computed = found.compute()
    np.testing.assert_allclose(computed, expected)
    np.testing.assert_array_equal(computed.index, FRAME.index)
    np.testing.assert_allclose(ours.transform(FRAME), expected)
    np.testing.assert_allclose(ours.transform(lazy.partitions[[1]]).compute(), expected[30:60])
    np.testing.assert_allclose(clone(ours).fit(FRAME).transform(FRAME), expected)


def test_what_is_left_and_how_columns_are_named(dask_client: Any) -> None:
    lazy = dd.from_pandas(FRAME, npartitions=2)
    numbers = sklearn.compose.make_column_selector(dtype_include="number")
    for columns in (numbers, ["age", "height", "width"], slice("age", "width"), [1, 2, -1], [False, True, True, True]):
        made = ColumnTransformer([("n", MaxAbsScaler(), columns)], remainder=OneHotEncoder()).fit(lazy)
        assert made.transform(lazy).compute().shape == (90, 6)
        assert list(made.get_feature_names_out())[:3] == ["n__age", "n__height", "n__width"]
        assert list(made.named_transformers_) == ["n", "remainder"]
    dropped = make_column_transformer((MaxAbsScaler(), ["age"]), ("drop", ["tree"]), remainder="drop")
    assert list(dropped.fit_transform(lazy).columns) == ["maxabsscaler__age"]


def test_arrays(dask_client: Any, split: Any) -> None:
    values = FRAME[["age", "height", "width"]].to_numpy()
    ours = make_column_transformer((StandardScaler(), [1, 2]), remainder="passthrough")
    theirs = sklearn.compose.make_column_transformer(
        (sklearn.preprocessing.StandardScaler(), [1, 2]), remainder="passthrough"
    )
    found = ours.fit_transform(split(values, 3, empty=True))
    assert isinstance(found, da.Array)
    np.testing.assert_allclose(found.compute(), theirs.fit_transform(values))
    np.testing.assert_allclose(ours.transform(values), theirs.transform(values))


def test_in_a_pipeline(dask_client: Any) -> None:
    lazy = dd.from_pandas(FRAME.assign(tall=TALL), npartitions=3)
    X, y = lazy[list(FRAME.columns)], lazy["tall"]
    prepared = ColumnTransformer(**columns_of(StandardScaler(), OneHotEncoder(), remainder="drop"))
    model = make_pipeline(prepared, LogisticRegression(max_iter=500)).fit(X, y)
    assert model.score(X, y) > 0.95


def test_bad_input(dask_client: Any) -> None:
    lazy = dd.from_pandas(FRAME, npartitions=2)
    for columns in (["age", "depth"], [9]):
        with pytest.raises(InvalidData, match="X has no column"):
            ColumnTransformer([("n", StandardScaler(), columns)]).fit(lazy)
    with pytest.raises(InvalidParameter, match="'n' must be a transformer"):
        ColumnTransformer([("n", "scale", ["age"])]).fit(lazy)
    with pytest.raises(InvalidParameter, match="verbose_feature_names_out"):
        ColumnTransformer(
            [("a", "passthrough", ["age"]), ("b", "passthrough", ["age"])], verbose_feature_names_out=False
        ).fit_transform(lazy)
    with pytest.raises(InvalidData, match="is expecting 4 features"):
        ColumnTransformer([("a", "passthrough", ["age"])]).fit(lazy).transform(lazy[["age"]])
