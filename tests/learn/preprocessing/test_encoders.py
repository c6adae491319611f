"""Encoders against scikit-learn's, where categories are missing from some blocks."""

from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn.preprocessing
from gpucluster.learn import ColumnTransformer, LabelBinarizer, LabelEncoder, OneHotEncoder, OrdinalEncoder, load, save
from gpucluster.learn.errors import InvalidData, InvalidParameter, NotSupported

from tests.learn.shared import refused

DRAW = np.random.default_rng(2)
WORDS = np.sort(np.array(["ash", "oak", "birch", "lime", "yew"])[DRAW.integers(0, 5, 200)])
NUMBERS = np.sort(DRAW.integers(-3, 4, 200))
FRAME = pd.DataFrame({"tree": WORDS, "age": NUMBERS, "tall": DRAW.random(200) < 0.5}, index=np.arange(200) * 2)
PARTITIONINGS = [(1, False), (2, False), (3, True), (7, True)]


@pytest.mark.parametrize(("n_blocks", "empty"), PARTITIONINGS)
@pytest.mark.parametrize("values", [WORDS, NUMBERS, WORDS.astype(object)], ids=["words", "numbers", "objects"])
def test_labels(dask_client: Any, split: Any, n_blocks: int, empty: bool, values: Any) -> None:
    lazy = split(values, n_blocks, empty=empty)
    ours, theirs = LabelEncoder().fit(lazy), sklearn.preprocessing.LabelEncoder().fit(values)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    codes = ours.transform(lazy)
    assert isinstance(codes, da.Array)
    np.testing.assert_array_equal(codes.compute(), theirs.transform(values))
    np.testing.assert_array_equal(ours.inverse_transform(codes).compute(), values)


@pytest.mark.full
def test_labels_of_series(dask_client: Any) -> None:
    for kind in ("str", "category"):
        series = dd.from_pandas(FRAME["tree"].astype(kind), npartitions=3)
        encoder = LabelEncoder()
        codes = encoder.fit_transform(series)
        assert isinstance(codes, dd.Series)
        assert codes.compute().index.equals(FRAME.index)
        np.testing.assert_array_equal(codes.compute(), sklearn.preprocessing.LabelEncoder().fit_transform(WORDS))
        assert list(encoder.inverse_transform(codes).compute()) == list(WORDS)


@pytest.mark.full
@pytest.mark.parametrize(("n_blocks", "empty"), PARTITIONINGS)
@pytest.mark.parametrize("drop", [None, "first", "if_binary"])
def test_columns_of_arrays(dask_client: Any, split: Any, n_blocks: int, empty: bool, drop: Any) -> None:
    values = np.stack([NUMBERS, NUMBERS > 0], axis=1)
    lazy = split(values, n_blocks, empty=empty)
    ours = OneHotEncoder(drop=drop).fit(lazy)
    theirs = sklearn.preprocessing.OneHotEncoder(drop=drop, sparse_output=False).fit(values)
    for mine, other in zip(ours.categories_, theirs.categories_, strict=True):
        np.testing.assert_array_equal(mine, other)
    columns = ours.transform(lazy)
    assert isinstance(columns, da.Array)
    assert columns.shape == theirs.transform(values).shape
    np.testing.assert_array_equal(columns.compute(), theirs.transform(values))
    np.testing.assert_array_equal(ours.inverse_transform(columns).compute(), values)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


def test_columns_of_data_frames(dask_client: Any) -> None:
    theirs = sklearn.preprocessing.OneHotEncoder(sparse_output=False).fit(FRAME)
    for frame in (FRAME, FRAME.astype({"tree": "category"})):
        lazy = dd.from_pandas(frame, npartitions=5)
        ours = OneHotEncoder(dtype=np.float32).fit(lazy)
        assert list(ours.feature_names_in_) == ["tree", "age", "tall"]
        columns = ours.transform(lazy)
        assert isinstance(columns, dd.DataFrame)
        assert list(columns.columns) == list(theirs.get_feature_names_out())
        computed = columns.compute()
        assert set(computed.dtypes) == {np.dtype(np.float32)}
        assert computed.index.equals(FRAME.index)
        np.testing.assert_array_equal(computed, theirs.transform(FRAME))
        back = ours.inverse_transform(columns).compute()
        assert [list(back[name]) for name in FRAME] == [list(FRAME[name]) for name in FRAME]
    refused(InvalidData, "columns age, tree, tall", lambda: ours.transform(lazy[["age", "tree", "tall"]]))


def test_missing_values_are_a_category(dask_client: Any, split: Any) -> None:
    values = np.array([["a", 1.0], [None, np.nan], ["b", 2.0], ["a", 1.0]], dtype=object)
    ours = OneHotEncoder().fit(split(values, 3))
    theirs = sklearn.preprocessing.OneHotEncoder(sparse_output=False).fit(values)
    np.testing.assert_array_equal(ours.transform(split(values, 2)).compute(), theirs.transform(values))


@pytest.mark.parametrize("encoder", [OneHotEncoder, OrdinalEncoder])
@pytest.mark.parametrize("fitted_on", ["Dask", "memory", "array"])
@pytest.mark.parametrize("first", [None, np.nan, pd.NA], ids=str)
def test_missing_text_is_one_category(encoder: Any, fitted_on: str, first: Any) -> None:
    frame = pd.DataFrame({"k": ["u", first, "v"], "n": [1, 2, 3]}).astype({"k": object})
    values = frame.to_numpy()
    cut = {"Dask": dd.from_pandas(frame, npartitions=2), "memory": frame, "array": values}
    model = encoder().fit(cut[fitted_on])
    assert pd.isna(model.categories_[0]).tolist() == [False, False, True]
    expected = sklearn_of(encoder, frame.fillna({"k": np.nan}))
    if fitted_on != "Dask" and first is None:
        expected = sklearn_of(encoder, frame)  # with None instead of NaN
    for value in (None, np.nan, pd.NA):
        other = frame.copy()
        other["k"] = pd.Series(["u", value, "v"], dtype=object)
        given = (other.to_numpy(),) if fitted_on == "array" else (other, dd.from_pandas(other, npartitions=2))
        for table in given:
            found = model.transform(table)
            np.testing.assert_array_equal(found.compute() if hasattr(found, "compute") else found, expected)


def sklearn_of(encoder: Any, frame: pd.DataFrame) -> Any:
    theirs = getattr(sklearn.preprocessing, encoder.__name__)()
    found = theirs.fit_transform(frame)
    return found.toarray() if hasattr(found, "toarray") else found


@pytest.mark.parametrize("transformer", [LabelEncoder, LabelBinarizer])
@pytest.mark.parametrize("kind", ["datetime64[ns]", "timedelta64[s]", float, object])
def test_missing_labels_are_refused(transformer: Any, kind: Any) -> None:
    values = ["a", "b", "c", None] if kind is object else [1, 2, 3, None]
    labels = pd.Series(values, dtype=object if kind is object else None).astype(kind)
    for data in (labels, labels.to_numpy(), dd.from_pandas(labels, npartitions=2)):
        with pytest.raises(InvalidData, match="y: 1 label is missing"):
            transformer().fit(data)
        model = transformer().fit(labels.dropna())
        with pytest.raises(InvalidData, match="y: labels are missing"):
            np.asarray(model.transform(data))


CITIES, HOLES = ["Rome", "Oslo", "Rome", "Bern", "Oslo", "Rome"], ["Rome", None, "Rome", "Bern", None, "Rome"]
AGES, GAPS = [3, 1, 3, 2, 1, 3], [3, None, 3, 2, None, 3]
COLUMNS = {
    "str": (CITIES, HOLES, "str"), "object": (CITIES, HOLES, object),
    "object with NaN": (CITIES, [np.nan if city is None else city for city in HOLES], object),
    "object with NA": (CITIES, [pd.NA if city is None else city for city in HOLES], object),
    "string": (CITIES, HOLES, "string[python]"), "string[pyarrow]": (CITIES, HOLES, "string[pyarrow]"),
    "arrow": (CITIES, HOLES, pd.ArrowDtype(pa.string())), "category": (CITIES, HOLES, "category"),
    "category of ints": (AGES, GAPS, "category"), "Int64": (AGES, GAPS, "Int64"),
    "int64[pyarrow]": (AGES, GAPS, "int64[pyarrow]"),
    "boolean": ([True, False, True, False, False, True], [True, None, True, False, None, True], "boolean"),
    "float": (np.array(AGES) / 2, [1.5, np.nan, 1.5, 1, np.nan, 1.5], float),
}  # fmt: skip


KINDS = [(kind, missing, True) for kind in COLUMNS for missing in (False, True)]


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "missing", "convert"), [*KINDS, *((kind, True, False) for kind in COLUMNS if "object" in kind)]
)
def test_kinds_of_columns_like_scikit_learn(kind: str, missing: bool, convert: bool) -> None:
    values, dtype = COLUMNS[kind][missing], COLUMNS[kind][2]
    frame = pd.DataFrame({"c": pd.Series(values, dtype=dtype), "n": AGES})
    with dask.config.set({"scheduler": "sync", "dataframe.convert-string": convert}):
        lazy = dd.from_pandas(frame, npartitions=2)
        # scikit-learn refuses pandas.NA among strings, and Dask converts None to it.
        if isinstance(values[0], str) and kind != "category" and not (dtype is object and lazy["c"].dtype == object):
            frame["c"] = frame["c"].astype(object).where(frame["c"].notna(), np.nan)
        elif kind == "object with NA":
            frame["c"] = frame["c"].map(lambda value: np.nan if value is pd.NA else value)
        automatic = sklearn.preprocessing.OneHotEncoder().fit(frame[["c"]]).categories_[0]
        for given in ("auto", [automatic.tolist()]):
            for ours, theirs in (
                (OneHotEncoder(categories=given), sklearn.preprocessing.OneHotEncoder(sparse_output=False)),
                (OrdinalEncoder(categories=given), sklearn.preprocessing.OrdinalEncoder()),
            ):
                codes = ours.fit(lazy[["c"]]).transform(lazy[["c"]])
                reference = theirs.set_params(categories=given).fit(frame[["c"]])
                assert repr(ours.categories_) == repr(reference.categories_)
                np.testing.assert_array_equal(codes.compute(), reference.transform(frame[["c"]]))
                back = pd.DataFrame(reference.inverse_transform(reference.transform(frame[["c"]])))
                found = ours.inverse_transform(codes).compute()
                assert [[*map(str, row)] for row in found.to_numpy()] == [[*map(str, row)] for row in back.to_numpy()]
        columns = ColumnTransformer([("c", OneHotEncoder(categories=given), ["c"]), ("n", "passthrough", ["n"])])
        reference = sklearn.preprocessing.OneHotEncoder(sparse_output=False).fit_transform(frame[["c"]])
        np.testing.assert_array_equal(columns.fit_transform(lazy).compute(), np.column_stack([reference, AGES]))
        if not missing:
            labels = LabelEncoder().fit(lazy["c"])
            np.testing.assert_array_equal(
                labels.transform(lazy["c"]).compute(), sklearn.preprocessing.LabelEncoder().fit_transform(frame["c"])
            )
        else:
            refused(InvalidData, "y: 2 labels are missing", lambda: LabelEncoder().fit(lazy["c"]))


RARE = np.array(["ash"] * 9 + ["oak"] * 5 + ["elm"] * 2 + ["fir", "yew"] + [np.nan] * 2, dtype=object)
RARE_FRAME = pd.DataFrame({"tree": RARE, "age": np.arange(20) % 7}, index=np.arange(20))


@pytest.mark.parametrize(
    "options",
    [
        {"min_frequency": 3}, {"min_frequency": 0.2}, {"max_categories": 2}, {"max_categories": 1},
        {"min_frequency": 2, "max_categories": 4},
        {"max_categories": 3, "categories": [["yew", "oak", "fir", "elm", "ash", np.nan], list(range(8))]},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Found unknown categories")
def test_rare_categories_share_a_column(options: dict[str, Any], tmp_path: Path) -> None:
    other = pd.DataFrame({"tree": ["pine", "ash"], "age": [0, 99]})
    columns: dict[str, Any] = {"handle_unknown": "infrequent_if_exist", "drop": "first", **options}
    codes_of: dict[str, Any] = {"handle_unknown": "use_encoded_value", "unknown_value": -1, **options}
    for ours, theirs in [
        (OneHotEncoder(**columns), sklearn.preprocessing.OneHotEncoder(sparse_output=False, **columns)),
        (OrdinalEncoder(**codes_of), sklearn.preprocessing.OrdinalEncoder(**codes_of)),
    ]:
        theirs.fit(RARE_FRAME)
        with dask.config.set(scheduler="sync"):
            lazy = dd.from_pandas(RARE_FRAME, npartitions=4)
            for data in (lazy, RARE_FRAME):
                ours.fit(data)
                save(ours, tmp_path / "encoder")
                for fitted in (ours, load(tmp_path / "encoder")):
                    codes = fitted.transform(lazy)
                    assert list(fitted.get_feature_names_out()) == list(theirs.get_feature_names_out())
                    np.testing.assert_array_equal(codes.compute(), theirs.transform(RARE_FRAME))
                    np.testing.assert_array_equal(fitted.transform(other), theirs.transform(other))
                assert repr(ours.infrequent_categories_) == repr(theirs.infrequent_categories_)
            # scikit-learn's OrdinalEncoder cannot invert rare values together with missing ones (1.9).
            if isinstance(ours, OneHotEncoder) and len(theirs.get_feature_names_out()):
                back = ours.inverse_transform(codes).compute().to_numpy()
                assert repr(back.tolist()) == repr(theirs.inverse_transform(theirs.transform(RARE_FRAME)).tolist())


def test_unknown_categories(dask_client: Any, split: Any) -> None:
    other = np.array([["elm"], ["oak"]])
    words = split(WORDS[:, None], 3)
    refused(ValueError, "unknown categories", lambda: OneHotEncoder().fit(words).transform(split(other, 1)).compute())
    zeros = OneHotEncoder(handle_unknown="ignore").fit(words).transform(split(other, 2)).compute()
    np.testing.assert_array_equal(zeros.sum(axis=1), [0, 1])
    with pytest.raises(ValueError, match="unseen labels"):
        LabelEncoder().fit(split(WORDS, 3)).transform(split(other[:, 0], 1)).compute()
    given = OneHotEncoder(categories=[["ash", "birch", "elm", "lime", "oak", "yew"]]).fit(words)
    assert given.transform(split(other, 1)).compute().sum() == 2


def test_data_in_memory() -> None:
    ours = OneHotEncoder(drop="first").fit(FRAME)
    theirs = sklearn.preprocessing.OneHotEncoder(drop="first", sparse_output=False).fit(FRAME)
    np.testing.assert_array_equal(ours.transform(FRAME), theirs.transform(FRAME))
    assert list(LabelEncoder().fit_transform(["b", "a", "b"])) == [1, 0, 1]


@pytest.mark.parametrize(
    ("encoder", "data", "error", "sentence"),
    [
        (LabelEncoder(), WORDS[:, None], InvalidData, "1 dimension"),
        (LabelEncoder(), np.array(["a", None, "b", None], dtype=object), InvalidData, "2 labels are missing"),
        (LabelEncoder(), np.array(["a", 1], dtype=object), InvalidData, "both numbers and strings"),
        (OrdinalEncoder(handle_unknown="use_encoded_value"), WORDS[:, None], TypeError, "unknown_value"),
        (LabelBinarizer(neg_label=1), WORDS, InvalidParameter, "strictly less"),
        (LabelBinarizer(sparse_output=True), WORDS, NotSupported, "sparse_output"),
        (LabelBinarizer(), np.array([0, 0.5]), InvalidData, "Unknown label type: continuous"),
    ],
)
def test_bad_input(dask_client: Any, split: Any, encoder: Any, data: Any, error: Any, sentence: str) -> None:
    refused(error, sentence, lambda: encoder.fit(split(data, 2)))


@pytest.mark.parametrize(("n_blocks", "empty"), [(1, False), (3, True)])
def test_categories_become_numbers(dask_client: Any, split: Any, n_blocks: int, empty: bool) -> None:
    values = np.stack([WORDS, NUMBERS.astype(str)], axis=1).astype(object)
    theirs = sklearn.preprocessing.OrdinalEncoder(dtype=np.float32).fit(values)
    ours = OrdinalEncoder(dtype=np.float32).fit(split(values, n_blocks, empty=empty))
    codes = ours.transform(split(values, n_blocks, empty=empty))
    assert isinstance(codes, da.Array)
    assert codes.dtype == np.float32
    np.testing.assert_array_equal(codes.compute(), theirs.transform(values))
    np.testing.assert_array_equal(ours.inverse_transform(codes).compute(), values)
    lazy = dd.from_pandas(FRAME, npartitions=3)
    of_frame = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(lazy)
    found = of_frame.transform(lazy).compute()
    assert list(found.columns) == list(FRAME.columns) == list(of_frame.get_feature_names_out())
    np.testing.assert_array_equal(found, sklearn.preprocessing.OrdinalEncoder().fit_transform(FRAME))
    np.testing.assert_array_equal(found.index, FRAME.index)
    assert (of_frame.transform(lazy.assign(tree="fir")).compute()["tree"] == -1).all()


@pytest.mark.parametrize("values", [WORDS, NUMBERS, NUMBERS > 0, np.repeat("one", 200)], ids=str)
def test_labels_become_columns(dask_client: Any, split: Any, values: Any) -> None:
    theirs = sklearn.preprocessing.LabelBinarizer(neg_label=-1, pos_label=2).fit(values)
    expected = theirs.transform(values)
    for given in (values, split(values, 3, empty=True), dd.from_pandas(pd.Series(values), npartitions=2)):
        ours = LabelBinarizer(neg_label=-1, pos_label=2).fit(given)
        columns = ours.transform(given)
        np.testing.assert_array_equal(np.asarray(columns), expected)
        np.testing.assert_array_equal(np.asarray(ours.inverse_transform(columns)), values)
        np.testing.assert_array_equal(ours.get_combined_model().transform(values), expected)


def test_inverse_of_wrong_columns_is_refused() -> None:
    with pytest.raises(InvalidData, match="do not match 5 labels"):
        LabelBinarizer().fit(WORDS).inverse_transform(np.ones((3, 2)))
