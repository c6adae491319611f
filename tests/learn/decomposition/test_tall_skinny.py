"""QR and singular values of tall tables: NumPy's numbers for any blocks."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
import pytest
from gpucluster.learn import tsqr, tssvd
from gpucluster.learn.errors import InvalidData
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from tests.learn.shared import refused

DIGITS = load_digits().data[:, 1:31] + np.random.default_rng(0).normal(size=(1797, 30)) * 1e-3


def check_qr(X: Any, Q: Any, R: Any, *, digits: float = 1e-12) -> None:
    k = min(X.shape)
    assert Q.shape == (len(X), k)
    assert R.shape == (k, X.shape[1])
    np.testing.assert_allclose(Q @ R, X, atol=digits * np.abs(X).max() * 10)
    np.testing.assert_allclose(Q.T @ Q, np.eye(k), atol=10 * digits)
    np.testing.assert_array_equal(R, np.triu(R))
    assert (np.diagonal(R) >= 0).all()


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
@pytest.mark.parametrize("empty", [False, True])
def test_qr_for_any_blocks(dask_client: Any, split: Any, n_blocks: int, empty: bool) -> None:
    X = split(DIGITS, n_blocks, empty=empty)
    Q, R = tsqr(X)
    assert isinstance(Q, da.Array)
    assert Q.chunks[0] == X.chunks[0]
    check_qr(DIGITS, Q.compute(), R)


@pytest.mark.parametrize("n_blocks", [1, 3, 7])
def test_singular_values_are_those_of_numpy(dask_client: Any, split: Any, n_blocks: int) -> None:
    # From 1 down to 1e-7 of the largest: the square of the smallest one is lost in X^T X.
    U0, _ = np.linalg.qr(DIGITS)
    X = U0 * np.logspace(2, -5, 30) @ np.linalg.qr(np.random.default_rng(1).normal(size=(30, 30)))[0]
    U, s, Vt = tssvd(split(X, n_blocks))
    np.testing.assert_allclose(s, np.linalg.svd(X, compute_uv=False), rtol=1e-8)
    np.testing.assert_allclose((U.compute() * s) @ Vt, X, atol=1e-11)
    np.testing.assert_allclose(U.T @ U, np.eye(30), atol=1e-12)


def test_q_of_dependent_columns_is_orthogonal(split: Any) -> None:
    X = np.column_stack([DIGITS[:, 20], DIGITS[:, 20] * 2, DIGITS[:, 21], np.zeros(1797)])
    Q, R = tsqr(split(X, 4))
    check_qr(X, Q.compute(), R)
    assert (tssvd(split(X, 4))[1][2:] < 1e-11 * np.abs(X).sum()).all()


@settings(max_examples=25)
@given(
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any),
    columns=st.integers(1, 6),
    seed=st.integers(0, 100),
)
def test_qr_of_any_lengths_of_blocks(lengths: list[int], columns: int, seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(sum(lengths), columns))
    Q, R = tsqr(da.from_array(X, chunks=(tuple(lengths), (columns,))))
    check_qr(X, Q.compute(scheduler="synchronous"), R)


def test_float32_and_arrays_in_memory(split: Any) -> None:
    X = DIGITS.astype(np.float32)
    Q, R = tsqr(split(X, 3))
    assert Q.dtype == np.float32
    assert R.dtype == np.float64
    check_qr(X, Q.compute(), R, digits=1e-6)
    check_qr(DIGITS, *tsqr(DIGITS))
    U, s, Vt = tssvd(DIGITS)
    np.testing.assert_allclose((U * s) @ Vt, DIGITS, atol=1e-10)


def test_bad_tables_are_refused(split: Any) -> None:
    refused(InvalidData, "X: contains NaN", lambda: tsqr(split(np.where(DIGITS > 15.9, np.nan, DIGITS), 3)))
    refused(InvalidData, r"0 row\(s\)", lambda: tssvd(np.zeros((0, 3))))
    refused(InvalidData, "2 dimensions", lambda: tsqr(np.arange(5)))
    refused(InvalidData, "cut along its columns", lambda: tsqr(da.from_array(DIGITS, chunks=(100, 10))))
