"""`partial_fit` block by block equals `fit` to all rows, so wrappers such as Dask-ML's can use it."""

from copy import deepcopy
from typing import Any

import gpucluster.learn as learn
import numpy as np
import pytest
import sklearn.naive_bayes
import sklearn.preprocessing
from gpucluster.learn.errors import InvalidData
from sklearn.datasets import load_digits

from tests.learn.shared import refused

X, Y = (part[:700] for part in load_digits(return_X_y=True))
PARTS = [slice(0, 300), slice(300, 301), slice(301, 700)]
CASES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "StandardScaler": (sklearn.preprocessing, ("mean_", "var_", "scale_", "n_samples_seen_")),
    "MaxAbsScaler": (sklearn.preprocessing, ("max_abs_", "scale_", "n_samples_seen_")),
    "MinMaxScaler": (
        sklearn.preprocessing,
        ("data_min_", "data_max_", "data_range_", "min_", "scale_", "n_samples_seen_"),
    ),
    "GaussianNB": (sklearn.naive_bayes, ("class_prior_", "theta_", "var_", "epsilon_")),
    "MultinomialNB": (sklearn.naive_bayes, ("class_log_prior_", "feature_log_prob_")),
}


@pytest.mark.parametrize("name", CASES)
def test_part_by_part(dask_client: Any, split: Any, name: str) -> None:
    module, attributes = CASES[name]
    labelled = module is sklearn.naive_bayes
    whole = getattr(learn, name)().fit(*((X, Y) if labelled else (X,)))
    in_memory, lazy, theirs = getattr(learn, name)(), getattr(learn, name)(), getattr(module, name)()
    for part in PARTS:
        given = (X[part], Y[part]) if labelled else (X[part],)
        more: dict[str, Any] = {"classes": range(10)} if labelled else {}
        assert in_memory.partial_fit(*given, **more) is in_memory
        lazy.partial_fit(*(split(each, 3 if len(each) > 3 else 1) for each in given), **more)
        theirs.partial_fit(*given, **more)
    for attribute in attributes:
        expected = getattr(whole, attribute)
        for found in (in_memory, lazy):
            np.testing.assert_allclose(getattr(found, attribute), expected, rtol=1e-9, atol=1e-12)
        # scikit-learn's GaussianNB computes its smallest variance from the last part only.
        np.testing.assert_allclose(getattr(theirs, attribute), expected, rtol=1e-6, atol=1e-7)


def test_a_network_trains_one_epoch(dask_client: Any, split: Any) -> None:
    options: dict[str, Any] = {"random_state": 0, "n_iter_no_change": 100}
    whole = learn.MLPClassifier((16,), max_iter=4, **options).fit(X / 16, Y)
    step_by_step = learn.MLPClassifier((16,), **options)
    for _ in range(4):
        step_by_step.partial_fit(split(X / 16, 2), split(Y, 2), classes=range(10))
    assert step_by_step.n_iter_ == 4
    np.testing.assert_allclose(step_by_step.coefs_[0], whole.coefs_[0], atol=1e-9)


def test_incremental_wrappers(dask_client: Any, split: Any) -> None:
    """As `Incremental` of Dask-ML does: a task per block, each with the model of the one before."""

    def train(model: Any, rows: Any, labels: Any, classes: Any) -> Any:
        return deepcopy(model).partial_fit(rows, labels, classes=classes)

    blocks = [(X[part], Y[part]) for part in PARTS]
    state = dask_client.submit(learn.GaussianNB)
    for rows, labels in blocks:
        state = dask_client.submit(train, state, rows, labels, classes=list(range(10)))
    expected = learn.GaussianNB().fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(state.result().predict_proba(X), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", ["GaussianNB", "MultinomialNB", "MLPClassifier"])
def test_classes_are_required_at_first(name: str) -> None:
    refused(InvalidData, "classes must be passed on the first call", lambda: getattr(learn, name)().partial_fit(X, Y))
    model = getattr(learn, name)().partial_fit(X[Y < 3], Y[Y < 3], classes=[0, 1, 2])
    refused(InvalidData, "do not exist in the initial classes", lambda: model.partial_fit(X, Y))
    with pytest.raises(InvalidData, match="is not the same as on last call"):
        model.partial_fit(X[Y < 3], Y[Y < 3], classes=[0, 1])
    refused(ValueError, "X has 10 features, but", lambda: model.partial_fit(X[Y < 3][:, :10], Y[Y < 3]))


def test_weights_count(dask_client: Any, split: Any) -> None:
    weights = np.random.default_rng(0).random(len(X))
    for name in ("StandardScaler", "GaussianNB"):
        labelled = name == "GaussianNB"
        whole = getattr(learn, name)().fit(X, Y, weights)
        model = getattr(learn, name)()
        for part in PARTS:
            more: dict[str, Any] = {"classes": range(10)} if labelled else {}
            model.partial_fit(X[part], Y[part], sample_weight=weights[part], **more)
        mean = "theta_" if labelled else "mean_"
        np.testing.assert_allclose(getattr(model, mean), getattr(whole, mean))
        # GaussianNB adds a billionth of the largest unweighted variance to all variances.
        np.testing.assert_allclose(model.var_, whole.var_, rtol=1e-6, atol=1e-8)
