"""Principal components, singular values and QR: the numbers of scikit-learn and NumPy for any blocks."""

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from gpucluster.learn import PCA, SerialCommunicator, TruncatedSVD, tsqr, tssvd
from gpucluster.learn.decomposition.pca import covariance_spectrum
from gpucluster.learn.errors import InvalidData
from gpucluster.learn.kernels.moments import merge_moments, moments
from gpucluster.learn.rows.block import Block
from gpucluster.learn.rows.running import run
from gpucluster.learn.rows.shard import Shard
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA as Reference
from sklearn.decomposition import TruncatedSVD as ReferenceSVD

from tests.learn.shared import refused

DIGITS = load_digits().data


def same(ours: Any, theirs: Any, *, rtol: float) -> None:
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
        mine, reference = getattr(ours, name), getattr(theirs, name)
        assert mine.shape == reference.shape, name
        np.testing.assert_allclose(mine, reference, rtol=rtol, atol=rtol * np.abs(reference).max(), err_msg=name)
    assert ours.n_components_ == theirs.n_components_
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=rtol, abs=1e-12)


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
@pytest.mark.parametrize("empty", [False, True])
def test_components_are_those_of_scikit_learn_for_any_blocks(
    dask_client: Any, split: Any, n_blocks: int, empty: bool
) -> None:
    ours = PCA(10).fit(split(DIGITS, n_blocks, empty=empty))
    same(ours, Reference(10, svd_solver="full").fit(DIGITS), rtol=1e-9)


@pytest.mark.parametrize("n_components", [None, 1, 5, 0.3, 0.95, "mle"])
@pytest.mark.parametrize("whiten", [False, True])
def test_kinds_of_n_components(n_components: Any, whiten: bool) -> None:
    data = DIGITS[:, 20:32]
    ours = PCA(n_components, whiten=whiten).fit(data)
    theirs = Reference(n_components, whiten=whiten, svd_solver="full").fit(data)
    same(ours, theirs, rtol=1e-9)
    np.testing.assert_allclose(ours.transform(data), theirs.transform(data), atol=1e-9)
    reduced = theirs.transform(data)
    np.testing.assert_allclose(ours.inverse_transform(reduced), theirs.inverse_transform(reduced), atol=1e-9)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-9)
    np.testing.assert_allclose(ours.score_samples(data), theirs.score_samples(data), rtol=1e-7)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


def test_fewer_rows_than_columns() -> None:
    data = DIGITS[:20]
    same(PCA(15).fit(data), Reference(15, svd_solver="full").fit(data), rtol=1e-8)
    assert PCA().fit(data).n_components_ == 20


@pytest.mark.parametrize("shift", [1e4, 1e5, 1e6])
def test_float32_data_far_from_zero_keep_their_components(split: Any, shift: float) -> None:
    rng = np.random.default_rng(0)
    true = rng.normal(size=(20_000, 12)) * np.linspace(1, 4, 12) @ rng.normal(size=(12, 12))
    data = (true + shift).astype(np.float32)
    truth = Reference(4, svd_solver="full").fit(data.astype(np.float64))
    for n_blocks in (1, 5):
        ours = PCA(4).fit(split(data, n_blocks))
        assert ours.components_.dtype == np.float32
        np.testing.assert_allclose(ours.components_, truth.components_, atol=2e-5)
        np.testing.assert_allclose(ours.explained_variance_, truth.explained_variance_, rtol=2e-5)
        np.testing.assert_allclose(ours.mean_, truth.mean_, rtol=1e-9)
        found = ours.transform(split(data, n_blocks))
        assert found.dtype == np.float32
        expected = truth.transform(data.astype(np.float64))
        np.testing.assert_allclose(found.compute(), expected, atol=2e-5 * np.abs(expected).max())


def test_float32_data_that_drift_within_a_block(split: Any) -> None:
    rng = np.random.default_rng(1)
    drift = np.linspace(0, 1e5, 30_000)[:, None]
    data = (rng.normal(size=(30_000, 4)) + drift * [1, 0, 0, -1]).astype(np.float32)
    truth = np.cov(data.astype(np.float64), rowvar=False)
    found = moments(Block(0, 0, data)).scatter / (len(data) - 1)
    np.testing.assert_allclose(found[1:3, 1:3], truth[1:3, 1:3], atol=1e-4)
    np.testing.assert_allclose(found[[0, 3]][:, [0, 3]], truth[[0, 3]][:, [0, 3]], rtol=1e-6)


def test_constant_columns_have_exactly_no_variance() -> None:
    data = np.full((9_000, 3), 1234567.0, np.float32)
    data[:, 1] = np.arange(9_000) % 7
    found = moments(Block(0, 0, data)).scatter
    assert found[0, 0] == found[2, 2] == found[0, 2] == 0.0
    assert found[1, 1] > 0


def test_moments_merge_like_one_block() -> None:
    pieces = [DIGITS[:0], DIGITS[:1], DIGITS[1:700], DIGITS[700:700], DIGITS[700:]]
    total = moments(Block(0, 0, pieces[0]))
    for piece in pieces[1:]:
        total = merge_moments(total, moments(Block(0, None, piece)))
    whole = moments(Block(0, 0, DIGITS))
    assert total.n_rows == whole.n_rows == len(DIGITS)
    np.testing.assert_allclose(total.mean, DIGITS.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(total.scatter, whole.scatter, atol=1e-9 * whole.scatter.max())


def test_moments_of_weighted_rows_with_targets() -> None:
    rng = np.random.default_rng(2)
    X, y, weights = rng.normal(size=(50, 3)), rng.normal(size=50), rng.integers(0, 4, 50)
    found = moments(Block(0, 0, X, y, weights.astype(float)))
    repeated = np.repeat(np.column_stack([X, y]), weights, axis=0)
    assert found.weight == weights.sum()
    np.testing.assert_allclose(found.mean, repeated.mean(axis=0))
    np.testing.assert_allclose(found.scatter, np.cov(repeated, rowvar=False) * (len(repeated) - 1), atol=1e-12)


def test_ranks_and_streams_agree(dask_client: Any, split: Any) -> None:
    data = split(DIGITS, 5)
    streamed, ranked = run(covariance_spectrum, data, passes=1), run(covariance_spectrum, data)
    alone = covariance_spectrum(Shard(SerialCommunicator(), [Block(0, 0, DIGITS)]))
    for other in (ranked, alone):
        np.testing.assert_allclose(other.variances, streamed.variances, rtol=1e-9, atol=1e-9)


def test_transform_is_lazy_and_keeps_the_index(dask_client: Any, split: Any) -> None:
    frame = pd.DataFrame(DIGITS[:, 10:15], columns=list("abcde"), index=np.arange(len(DIGITS)) * 2)
    lazy = dd.from_pandas(frame, npartitions=3)
    model = PCA(2).fit(lazy)
    assert list(model.feature_names_in_) == list("abcde")
    found = model.transform(lazy)
    assert list(found.columns) == ["pca0", "pca1"]
    expected = Reference(2, svd_solver="full").fit(frame.values).transform(frame.values)
    np.testing.assert_allclose(found.compute().values, expected, atol=1e-9)
    assert found.compute().index.equals(frame.index)
    assert model.score(lazy) == pytest.approx(model.score(frame))
    back = model.inverse_transform(model.transform(split(frame.values, 3)))
    assert isinstance(back, da.Array)
    assert back.shape == frame.shape


@pytest.mark.parametrize("far", [1e5, 1e6])
def test_an_outlier_does_not_reduce_precision(split: Any, far: float) -> None:
    """The mean that shifts a piece once included it, and 0.5 % of the variance was lost."""
    X = np.random.default_rng(0).normal(size=(400_000, 2)).astype(np.float32)
    X[0, 0] = far
    found = PCA(2).fit(split(X, 2)).explained_variance_
    np.testing.assert_allclose(found, np.linalg.eigvalsh(np.cov(X.astype(np.float64).T))[::-1], rtol=1e-4)


@pytest.mark.parametrize("algorithm", ["randomized", "arpack"])
@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
def test_truncated_axes_are_those_of_scikit_learn(dask_client: Any, split: Any, algorithm: str, n_blocks: int) -> None:
    X = split(DIGITS, n_blocks, empty=True)
    ours = TruncatedSVD(6, algorithm=algorithm).fit(X)
    theirs = ReferenceSVD(6, algorithm="arpack", random_state=0).fit(DIGITS)
    for name in ("components_", "singular_values_", "explained_variance_", "explained_variance_ratio_"):
        reference = getattr(theirs, name)
        np.testing.assert_allclose(getattr(ours, name), reference, rtol=1e-9, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(ours.transform(X).compute(), theirs.transform(DIGITS), atol=1e-8)
    back = ours.inverse_transform(ours.transform(X)).compute()
    np.testing.assert_allclose(back, theirs.inverse_transform(theirs.transform(DIGITS)), atol=1e-8)


def test_truncated_float32_stays(split: Any) -> None:
    data = DIGITS.astype(np.float32)
    ours = TruncatedSVD(4).fit(split(data, 3))
    theirs = ReferenceSVD(4, algorithm="arpack", random_state=0).fit(DIGITS)
    assert ours.components_.dtype == ours.transform(split(data, 3)).dtype == np.float32
    np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=1e-6)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-5)


def test_small_singular_values_are_precise_with_arpack_and_full(split: Any) -> None:
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(500, 6)))[0] * np.logspace(0, -9, 6) @ np.linalg.qr(rng.normal(size=(6, 6)))[0]
    exact = np.linalg.svd(X, compute_uv=False)
    found = TruncatedSVD(6, algorithm="arpack").fit(split(X, 3)).singular_values_
    np.testing.assert_allclose(found, exact, rtol=1e-5)
    ours, theirs = PCA(svd_solver="full").fit(split(X, 3)), Reference(svd_solver="full").fit(X)
    np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=1e-5)
    np.testing.assert_allclose(np.abs(ours.components_), np.abs(theirs.components_), atol=1e-5)


TALL = load_digits().data[:, 1:31] + np.random.default_rng(0).normal(size=(1797, 30)) * 1e-3


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
    X = split(TALL, n_blocks, empty=empty)
    Q, R = tsqr(X)
    assert isinstance(Q, da.Array)
    assert Q.chunks[0] == X.chunks[0]
    check_qr(TALL, Q.compute(), R)


@pytest.mark.parametrize("n_blocks", [1, 3, 7])
def test_singular_values_are_those_of_numpy(dask_client: Any, split: Any, n_blocks: int) -> None:
    # From 1 down to 1e-7 of the largest: the square of the smallest one is lost in X^T X.
    U0, _ = np.linalg.qr(TALL)
    X = U0 * np.logspace(2, -5, 30) @ np.linalg.qr(np.random.default_rng(1).normal(size=(30, 30)))[0]
    U, s, Vt = tssvd(split(X, n_blocks))
    np.testing.assert_allclose(s, np.linalg.svd(X, compute_uv=False), rtol=1e-8)
    np.testing.assert_allclose((U.compute() * s) @ Vt, X, atol=1e-11)
    np.testing.assert_allclose(U.T @ U, np.eye(30), atol=1e-12)


def test_q_of_dependent_columns_is_orthogonal(split: Any) -> None:
    X = np.column_stack([TALL[:, 20], TALL[:, 20] * 2, TALL[:, 21], np.zeros(1797)])
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
    X = TALL.astype(np.float32)
    Q, R = tsqr(split(X, 3))
    assert Q.dtype == np.float32
    assert R.dtype == np.float64
    check_qr(X, Q.compute(), R, digits=1e-6)
    check_qr(TALL, *tsqr(TALL))
    U, s, Vt = tssvd(TALL)
    np.testing.assert_allclose((U * s) @ Vt, TALL, atol=1e-10)


def test_bad_tables_are_refused(split: Any) -> None:
    refused(InvalidData, "X: contains NaN", lambda: tsqr(split(np.where(TALL > 15.9, np.nan, TALL), 3)))
    refused(InvalidData, r"0 row\(s\)", lambda: tssvd(np.zeros((0, 3))))
    refused(InvalidData, "2 dimensions", lambda: tsqr(np.arange(5)))
    refused(InvalidData, "chunked along its columns", lambda: tsqr(da.from_array(TALL, chunks=(100, 10))))
