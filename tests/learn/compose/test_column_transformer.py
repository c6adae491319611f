"""Different transformers for different columns, against scikit-learn's class on the same table in memory."""

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.compose
import sklearn.linear_model
import sklearn.preprocessing
from gpucluster import learn
from gpucluster.learn.errors import InvalidData, InvalidParameter
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
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
    ours = learn.ColumnTransformer(**columns_of(learn.StandardScaler(), learn.OneHotEncoder(), **options))
    found = ours.fit_transform(lazy)
    assert isinstance(found, dd.DataFrame)
    assert list(found.columns) == list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    computed = found.compute()
    np.testing.assert_allclose(computed, expected)
    np.testing.assert_array_equal(computed.index, FRAME.index)
    np.testing.assert_allclose(ours.transform(FRAME), expected)
    np.testing.assert_allclose(ours.transform(lazy.partitions[[1]]).compute(), expected[30:60])
    np.testing.assert_allclose(clone(ours).fit(FRAME).transform(FRAME), expected)


@pytest.mark.full
def test_remainder_and_ways_to_name_columns(dask_client: Any) -> None:
    lazy = dd.from_pandas(FRAME, npartitions=2)
    numbers = sklearn.compose.make_column_selector(dtype_include="number")
    for columns in (numbers, ["age", "height", "width"], slice("age", "width"), [1, 2, -1], [False, True, True, True]):
        made = learn.ColumnTransformer([("n", learn.MaxAbsScaler(), columns)], remainder=learn.OneHotEncoder()).fit(
            lazy
        )
        assert made.transform(lazy).compute().shape == (90, 6)
        assert list(made.get_feature_names_out())[:3] == ["n__age", "n__height", "n__width"]
        assert list(made.named_transformers_) == ["n", "remainder"]
    dropped = learn.make_column_transformer((learn.MaxAbsScaler(), ["age"]), ("drop", ["tree"]), remainder="drop")
    assert list(dropped.fit_transform(lazy).columns) == ["maxabsscaler__age"]


def test_arrays(dask_client: Any, split: Any) -> None:
    values = FRAME[["age", "height", "width"]].to_numpy()
    ours = learn.make_column_transformer((learn.StandardScaler(), [1, 2]), remainder="passthrough")
    theirs = sklearn.compose.make_column_transformer(
        (sklearn.preprocessing.StandardScaler(), [1, 2]), remainder="passthrough"
    )
    found = ours.fit_transform(split(values, 3, empty=True))
    assert isinstance(found, da.Array)
    np.testing.assert_allclose(found.compute(), theirs.fit_transform(values))
    np.testing.assert_allclose(ours.transform(values), theirs.transform(values))


@pytest.mark.parametrize("columns", [["height"], [2], slice("height", "height"), [False, False, True, False]])
@pytest.mark.parametrize("remainder", ["drop", "passthrough"])
def test_columns_are_chosen_by_name_after_fit(dask_client: Any, columns: Any, remainder: str) -> None:
    options = {"remainder": remainder}
    theirs = sklearn.compose.ColumnTransformer([("s", sklearn.preprocessing.StandardScaler(), columns)], **options)
    expected = theirs.fit(FRAME).transform(FRAME)
    reordered = FRAME[FRAME.columns[::-1]].assign(another=1.0)
    if remainder == "drop":
        reordered = reordered.drop(columns="tree")
    np.testing.assert_array_equal(theirs.transform(reordered), expected)
    lazy = dd.from_pandas(reordered, npartitions=2)
    for table in (FRAME, dd.from_pandas(FRAME, npartitions=3)):
        ours = learn.ColumnTransformer([("s", learn.StandardScaler(), columns)], **options).fit(table)
        for found in (ours.transform(reordered), ours.transform(lazy).compute()):
            assert list(found.columns) == list(theirs.get_feature_names_out())
            np.testing.assert_allclose(found["s__height"], expected[:, 0].astype(float))
            np.testing.assert_array_equal(found.iloc[:, 1:].astype(object), expected[:, 1:].astype(object))
        with pytest.raises(InvalidData, match="columns are missing: 'height'"):
            ours.transform(lazy.drop(columns="height"))


def test_parameters_of_the_transformers(dask_client: Any) -> None:
    theirs = sklearn.compose.ColumnTransformer(
        [("s", sklearn.preprocessing.StandardScaler(), ["age"])], remainder=sklearn.preprocessing.MaxAbsScaler()
    )
    ours = learn.ColumnTransformer([("s", learn.StandardScaler(), ["age"])], remainder=learn.MaxAbsScaler())
    assert set(theirs.get_params()) <= set(ours.get_params())
    assert ours.get_params(deep=False).keys() <= ours.get_params().keys() - {"s", "s__copy", "remainder__copy"}
    assert ours.set_params(s__with_mean=False, remainder="drop") is ours
    assert not ours.transformers[0][1].with_mean
    scaled = FRAME[["age"]] / FRAME["age"].std(ddof=0)
    found = ours.fit_transform(dd.from_pandas(FRAME, npartitions=2))
    np.testing.assert_allclose(found.compute(), scaled)
    assert ours.set_params(s="drop").transformers == [("s", "drop", ["age"])]
    assert ours.set_params(transformers=[("m", learn.StandardScaler(), ["age"])], m__with_std=False).get_params()["m"]
    for wrong in ({"s": "drop"}, {"m__depth": 1}, {"depth": 1}):
        with pytest.raises(ValueError, match="Invalid parameter"):
            ours.set_params(**wrong)
    model = make_pipeline(
        learn.make_column_transformer((learn.StandardScaler(), ["age", "height"])), sklearn.linear_model.Ridge(alpha=50)
    )
    grid = GridSearchCV(model, {"columntransformer__standardscaler__with_std": [False, True]}, cv=2)
    results = grid.fit(FRAME, FRAME["width"]).cv_results_["mean_test_score"]
    assert results[0] != results[1]


@pytest.mark.parametrize(("transformer", "columns"), [(learn.StandardScaler(), []), ("drop", ["age"])])
def test_no_columns_come_out(dask_client: Any, transformer: Any, columns: list[str]) -> None:
    made = learn.ColumnTransformer([("n", transformer, columns)])
    values = FRAME[["age"]].to_numpy()
    for table in (FRAME, dd.from_pandas(FRAME, npartitions=2)):
        found = made.fit_transform(table)
        assert isinstance(found, type(table))
        assert found.compute().shape == (90, 0) if table is not FRAME else found.shape == (90, 0)
        assert list(made.get_feature_names_out()) == []
    if not columns:
        for array in (values, da.from_array(values, chunks=50)):
            assert made.fit_transform(array).shape == (90, 0)


@pytest.mark.full
def test_in_a_pipeline(dask_client: Any) -> None:
    lazy = dd.from_pandas(FRAME.assign(tall=TALL), npartitions=3)
    X, y = lazy[list(FRAME.columns)], lazy["tall"]
    prepared = learn.ColumnTransformer(**columns_of(learn.StandardScaler(), learn.OneHotEncoder(), remainder="drop"))
    model = make_pipeline(prepared, learn.LogisticRegression(max_iter=500)).fit(X, y)
    assert model.score(X, y) > 0.95


def test_bad_input(dask_client: Any) -> None:
    lazy = dd.from_pandas(FRAME, npartitions=2)
    for columns in (["age", "depth"], [9]):
        with pytest.raises(InvalidData, match="X has no column"):
            learn.ColumnTransformer([("n", learn.StandardScaler(), columns)]).fit(lazy)
    with pytest.raises(InvalidParameter, match="'n' must be a transformer"):
        learn.ColumnTransformer([("n", "scale", ["age"])]).fit(lazy)
    with pytest.raises(InvalidParameter, match="verbose_feature_names_out"):
        learn.ColumnTransformer(
            [("a", "passthrough", ["age"]), ("b", "passthrough", ["age"])], verbose_feature_names_out=False
        ).fit_transform(lazy)
    with pytest.raises(InvalidData, match="is expecting 4 features"):
        learn.ColumnTransformer([("a", "passthrough", ["age"])]).fit(lazy).transform(FRAME[["age"]].to_numpy())
    for names in (("n", "n"), ("n", "a__b"), ("n", "remainder")):
        with pytest.raises(InvalidParameter, match="names are not unique|is not a valid name"):
            learn.ColumnTransformer([(name, "drop", ["age"]) for name in names]).fit(lazy)
