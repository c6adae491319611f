"""Accepted data, and the messages for refused data."""

import importlib

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from gpucluster.learn import LinearRegression, MaxAbsScaler, MultinomialNB, NearestNeighbors
from gpucluster.learn.errors import InvalidData
from gpucluster.learn.rows import table as table_module
from gpucluster.learn.rows.table import as_table

ARRAY = da.ones((10, 3), chunks=(4, 3))
FRAME = dd.from_pandas(pd.DataFrame({"a": [1.0, 2, 3], "b": [1, 2, 3], "word": ["x", "y", "z"]}), npartitions=2)


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (da.ones(10, chunks=5), "expected 2 dimensions .* got 1. Reshape your data"),
        (da.ones((4, 4, 4), chunks=2), "expected 2 dimensions .* got 3"),
        (da.ones((10, 4), chunks=(5, 2)), r"chunked along its columns too \(2 chunks\).*Use X.rechunk\({1: -1}\)"),
        (da.ones((10, 0), chunks=(5, 0)), r"0 feature\(s\)"),
        (da.ones((10, 2), chunks=5).astype(complex), "must be numbers, not complex128"),
        (da.ones((10, 2), chunks=5).astype(str), "X: must be numbers"),
        (FRAME, "'word' is not numeric. Drop such columns, or encode"),
        (FRAME.a, r"not one column. Use X.to_frame\(\)"),
    ],
)
def test_refused(X, sentence):
    with pytest.raises(InvalidData, match=sentence):
        as_table(X)


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_sparse_blocks_become_dense_ones(kind):
    sparse = ARRAY.map_blocks(kind, meta=kind((0, 0)))
    table = as_table(sparse)
    assert isinstance(table.X._meta, np.ndarray)
    assert table.X.chunks == sparse.chunks
    np.testing.assert_array_equal(table.X.compute(scheduler="sync"), ARRAY.compute(scheduler="sync"))


def test_names_of_columns_have_one_type():
    frame = pd.DataFrame(np.ones((4, 2)), columns=["a", 1])
    for data in (frame, dd.from_pandas(frame, npartitions=2)):
        with pytest.raises(TypeError, match="int.* str"):
            MaxAbsScaler().fit(data)
    assert MaxAbsScaler().fit(dd.from_pandas(frame, npartitions=2).rename(columns=str)).n_features_in_ == 2


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("kind", [LinearRegression, MultinomialNB, MaxAbsScaler, NearestNeighbors])
def test_sparse_columns_become_dense_ones(kind, mixed):
    rows = scipy.sparse.random(60, 4, density=0.5, format="csr", random_state=0)
    frame = pd.DataFrame.sparse.from_spmatrix(rows).set_axis(list("abcd"), axis=1)
    frame = frame.assign(d=frame.d.sparse.to_dense()) if mixed else frame
    y = pd.Series(np.arange(60) % 2)
    module, _, name = kind._scikit_learn.rpartition(".")
    theirs = _answer(getattr(importlib.import_module(module), name)().fit(rows.toarray(), y), rows.toarray())
    lazy = dd.from_pandas(frame, npartitions=3)
    np.testing.assert_allclose(_answer(kind().fit(frame, y), frame), theirs, atol=1e-7)
    found = _answer(kind().fit(lazy, dd.from_pandas(y, npartitions=3)), lazy)
    np.testing.assert_allclose(found.compute(), theirs, atol=1e-7)


def _answer(model, X):
    if hasattr(model, "kneighbors"):
        return model.kneighbors(X)[0]
    return model.predict(X) if hasattr(model, "predict") else model.transform(X)


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (da.ones(9, chunks=3), "y: has 9 rows, but X has 10"),
        (np.ones(11), "y: has 11 rows, but X has 10"),
        (da.ones((10, 2, 2), chunks=2), "y: must have 1 dimension, not 3"),
        (FRAME.a, "y: has 3 rows, but X has 10"),
    ],
)
def test_y_that_does_not_match_x(y, sentence):
    with pytest.raises(InvalidData, match=sentence):
        as_table(ARRAY, y)


@pytest.mark.parametrize("cut", [np.asarray, lambda values: dd.from_pandas(pd.Series(values), npartitions=3)])
def test_unknown_lengths_are_computed_to_align_y(cut):
    table = as_table(FRAME[["a", "b"]], cut([7, 8, 9]), cut([1.0, 2.0, 3.0]))
    assert table.n_rows == 3 and table.X.chunks[0] == table.y.chunks[0] == table.weights.chunks[0] == (2, 1)
    assert [block[1].compute().tolist() for block in table.delayed_blocks()] == [[7, 8], [9]]


@pytest.mark.parametrize(
    ("given", "taken"),
    [("float32", "float32"), ("float64", "float64"), ("int8", "float64"), ("bool", "float64"), ("float16", "float32")],
)
def test_types(given, taken):
    assert as_table(ARRAY.astype(given)).X.dtype == taken


def test_a_frame_of_mixed_numbers():
    table = as_table(FRAME[["a", "b"]], FRAME.b, FRAME.a)
    assert table.names == ["a", "b"]
    assert table.n_rows is None and table.starts() == [None, None]
    counted = table.with_known_lengths()
    assert counted.n_rows == 3 and counted.starts() == [0, 2]
    assert counted.y.chunks == counted.weights.chunks == ((2, 1),)
    assert counted.X.compute().tolist() == [[1, 1], [2, 2], [3, 3]]
    assert table.n_rows is None, "the original is unchanged"


def test_y_is_rechunked_like_x():
    table = as_table(ARRAY, da.arange(10, chunks=7), np.arange(10.0))
    assert table.y.chunks == table.weights.chunks == ((4, 4, 2),)
    blocks = [[part.compute() for part in block] for block in table.delayed_blocks()]
    assert [len(block[0]) for block in blocks] == [4, 4, 2]
    assert np.concatenate([block[1] for block in blocks]).tolist() == list(range(10))


def test_nothing_is_computed():
    def explode(block):
        raise AssertionError("computed")

    table = as_table(ARRAY.map_blocks(explode, dtype=float), ARRAY[:, 0].map_blocks(explode, dtype=float))
    assert table.n_features == 3 and table.n_blocks == 3 and table.starts() == [0, 4, 8]
    assert not table.on_gpu


def test_numbers_in_memory_go_where_x_is(monkeypatch):
    moved = []
    monkeypatch.setattr(table_module, "is_of_numpy", lambda array: False)
    monkeypatch.setattr(table_module, "_moved", lambda block, like: moved.append(block.dtype) or block)
    table = as_table(ARRAY, np.arange(10), np.arange(10.0))
    assert table.y.compute().tolist() == table.weights.compute().tolist() == list(range(10))
    assert set(moved) == {np.dtype(int), np.dtype(float)}
    moved.clear()
    assert as_table(ARRAY, np.array(list("abcdefghij"))).y.compute()[3] == "d"
    assert not moved, "words stay in host memory"
