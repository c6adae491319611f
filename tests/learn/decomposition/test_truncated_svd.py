"""Truncated singular values: scikit-learn's numbers for any blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gpucluster.learn import PCA, TruncatedSVD
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA as ReferencePCA
from sklearn.decomposition import TruncatedSVD as Reference

DIGITS = load_digits().data


@pytest.mark.parametrize("algorithm", ["randomized", "arpack"])
@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
def test_axes_are_those_of_scikit_learn(dask_client: Any, split: Any, algorithm: str, n_blocks: int) -> None:
    X = split(DIGITS, n_blocks, empty=True)
    ours = TruncatedSVD(6, algorithm=algorithm).fit(X)
    theirs = Reference(6, algorithm="arpack", random_state=0).fit(DIGITS)
    for name in ("components_", "singular_values_", "explained_variance_", "explained_variance_ratio_"):
        reference = getattr(theirs, name)
        np.testing.assert_allclose(getattr(ours, name), reference, rtol=1e-9, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(ours.transform(X).compute(), theirs.transform(DIGITS), atol=1e-8)
    back = ours.inverse_transform(ours.transform(X)).compute()
    np.testing.assert_allclose(back, theirs.inverse_transform(theirs.transform(DIGITS)), atol=1e-8)


def test_float32_stays(split: Any) -> None:
    data = DIGITS.astype(np.float32)
    ours = TruncatedSVD(4).fit(split(data, 3))
    theirs = Reference(4, algorithm="arpack", random_state=0).fit(DIGITS)
    assert ours.components_.dtype == ours.transform(split(data, 3)).dtype == np.float32
    np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=1e-6)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-5)


def test_small_singular_values_are_precise_with_arpack_and_full(split: Any) -> None:
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(500, 6)))[0] * np.logspace(0, -9, 6) @ np.linalg.qr(rng.normal(size=(6, 6)))[0]
    exact = np.linalg.svd(X, compute_uv=False)
    found = TruncatedSVD(6, algorithm="arpack").fit(split(X, 3)).singular_values_
    np.testing.assert_allclose(found, exact, rtol=1e-5)
    ours, theirs = PCA(svd_solver="full").fit(split(X, 3)), ReferencePCA(svd_solver="full").fit(X)
    np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=1e-5)
    np.testing.assert_allclose(np.abs(ours.components_), np.abs(theirs.components_), atol=1e-5)


def test_combined_model_predicts_the_same() -> None:
    ours = TruncatedSVD(3).fit(DIGITS)
    np.testing.assert_allclose(ours.get_combined_model().transform(DIGITS), ours.transform(DIGITS), atol=1e-10)
