"""Logistic regression: scikit-learn's coefficients for any blocks and communicator."""

from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from gpucluster.learn import LogisticRegression
from gpucluster.learn.kernels.logistic import loss_gradient
from gpucluster.learn.rows.block import Block
from scipy.optimize import approx_fprime
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Reference

CANCER = load_breast_cancer()
TWO = ((CANCER.data - CANCER.data.mean(axis=0)) / CANCER.data.std(axis=0), CANCER.target)
TEN = (load_digits().data[::2, 16:48] / 16, load_digits().target[::2])
TIGHT: dict[str, Any] = {"tol": 1e-7, "max_iter": 2000}


def same(ours: Any, theirs: Any, *, tolerance: float = 1e-4) -> None:
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    for name in ("coef_", "intercept_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert mine.shape == other.shape, name
        np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.full
@pytest.mark.parametrize(("X", "y"), [TWO, TEN], ids=["two classes", "ten classes"])
@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7])
def test_coefficients_for_any_blocks(dask_client: Any, split: Any, X: Any, y: Any, n_blocks: int) -> None:
    lazy = split(X, n_blocks, empty=True)
    ours = LogisticRegression(**TIGHT).fit(lazy, split(y, n_blocks, empty=True))
    theirs = Reference(**TIGHT).fit(X, y)
    same(ours, theirs)
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        found = getattr(ours, method)(lazy)
        expected = getattr(theirs, method)(X)
        assert found.dtype == expected.dtype, method
        np.testing.assert_allclose(found.compute(), expected, rtol=1e-3, atol=1e-4, err_msg=method)
    assert ours.score(X, y) == theirs.score(X, y)
    np.testing.assert_array_equal(ours.get_combined_model().predict(X), theirs.predict(X))


@pytest.mark.parametrize(("X", "y"), [TWO, TEN], ids=["two classes", "ten classes"])
@pytest.mark.parametrize(
    "options",
    [
        {"C": 0.01}, {"fit_intercept": False}, {"class_weight": "balanced"}, {"class_weight": {1: 3.0}},
        {"class_weight": "balanced", "weighted": True}, {"weighted": True, "C": 0.3},
    ],
    ids=str,
)  # fmt: skip
def test_options(dask_client: Any, split: Any, X: Any, y: Any, options: dict[str, Any]) -> None:
    options = dict(options)
    weights = np.random.default_rng(0).random(len(X)) if options.pop("weighted", False) else None
    ours = LogisticRegression(**TIGHT, **options)
    ours.fit(split(X, 3), split(y, 3), sample_weight=None if weights is None else split(weights, 3))
    same(ours, Reference(**TIGHT, **options).fit(X, y, sample_weight=weights))


@pytest.mark.filterwarnings("ignore:Setting penalty=None will ignore:UserWarning")  # scikit-learn 1.8, for C=inf
def test_without_penalty(dask_client: Any, split: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    y = (X @ [1, -2, 0, 0.5, 1] + rng.logistic(size=2000) > 0.3).astype(int)
    expected = Reference(C=np.inf, **TIGHT).fit(X, y)
    same(LogisticRegression(C=np.inf, **TIGHT).fit(split(X, 3), split(y, 3)), expected)
    same(LogisticRegression(penalty=None, **TIGHT).fit(split(X, 3), split(y, 3)), expected)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_gradient_is_that_of_the_loss(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    classes = np.arange(n_classes)
    block = Block(0, 0, rng.normal(size=(30, 3)), rng.integers(0, n_classes, 30), rng.random(30))
    shape = (1 if n_classes == 2 else n_classes, 4)
    coef = rng.normal(size=shape)
    weights = rng.random(n_classes)
    found = loss_gradient(block, coef, classes, weights)
    numeric = approx_fprime(coef.ravel(), lambda w: loss_gradient(block, w.reshape(shape), classes, weights).loss, 1e-7)
    np.testing.assert_allclose(found.gradient.ravel(), numeric, atol=1e-5)


def test_huge_scores_do_not_overflow() -> None:
    X = np.array([[1e4], [-1e4]])
    for n_classes in (2, 3):
        coef = np.array([[1e3, 0.0]]) if n_classes == 2 else np.array([[-1e3, 0.0], [1e3, 0.0], [0.0, 0.0]])
        found = loss_gradient(Block(0, 0, X, np.array([1, 0])), coef, np.arange(n_classes), None)
        assert found.loss == 0.0
        assert np.isfinite(found.gradient).all()


def test_labels_of_text_in_frames(dask_client: Any) -> None:
    X, y = TWO
    names = np.array(["malignant", "benign"])[y]
    frame = pd.DataFrame(X[:, :6], columns=list("abcdef"), index=np.arange(len(X)) + 5).assign(label=names)
    lazy = dd.from_pandas(frame, npartitions=3)
    ours = LogisticRegression(**TIGHT).fit(lazy[list("abcdef")], lazy["label"])
    theirs = Reference(**TIGHT).fit(frame[list("abcdef")], names)
    assert list(ours.classes_) == ["benign", "malignant"]
    found = ours.predict(lazy[list("abcdef")]).compute()
    np.testing.assert_array_equal(found, theirs.predict(frame[list("abcdef")]))
    assert found.index.equals(frame.index)
    shares = ours.predict_proba(lazy[list("abcdef")])
    assert list(shares.columns) == ["benign", "malignant"]


def test_float32_stays(dask_client: Any, split: Any) -> None:
    X, y = TEN
    ours = LogisticRegression(tol=1e-6, max_iter=1000).fit(split(X.astype(np.float32), 3), split(y, 3))
    assert ours.coef_.dtype == ours.predict_proba(split(X.astype(np.float32), 2)).dtype == np.float32
    # scikit-learn's own coefficients for float32 differ by 2.4e-2 from those for float64.
    same(ours, Reference(**TIGHT).fit(X, y), tolerance=2e-2)


def test_iterations_are_counted_and_warm_starts_save_them(split: Any) -> None:
    X, y = TWO
    lazy = split(X, 3), split(y, 3)
    with pytest.warns(ConvergenceWarning, match="did not converge after 3 iteration"):
        model = LogisticRegression(max_iter=3).fit(*lazy)
    assert list(model.n_iter_) == [3]
    model = LogisticRegression(tol=1e-6, max_iter=500, warm_start=True).fit(*lazy)
    first = model.n_iter_[0]
    assert abs(first - Reference(tol=1e-6, max_iter=500).fit(X, y).n_iter_[0]) <= 0.2 * first
    assert model.fit(*lazy).n_iter_[0] < first / 2
