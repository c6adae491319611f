"""scikit-learn's own checks of estimators, on arrays in memory: parameters, errors, attributes, pickling, and more."""

import importlib
import os
import re
import subprocess
import sys
import warnings
from typing import Any

import gpucluster.learn as learn
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.learn.shared import ESTIMATORS

SMALL: dict[str, dict[str, Any]] = {
    "RandomForestClassifier": {"n_estimators": 5},
    "RandomForestRegressor": {"n_estimators": 5},
}
"""Options that make a check quick."""

_WEIGHTS = "check_sample_weight_equivalence_on_dense_data"
_SPARSE_WEIGHTS = "check_sample_weight_equivalence_on_sparse_data"
EXPECTED: dict[str, dict[str, str]] = {
    "KMeans": dict.fromkeys(
        (_WEIGHTS, _SPARSE_WEIGHTS),
        "which rows are the first centres is drawn by row, so repeated rows are drawn more often",
    ),
    **{
        f"RandomForest{kind}": dict.fromkeys(
            (_WEIGHTS, _SPARSE_WEIGHTS), "trees draw rows at random, so weights are not the same as repeated rows"
        )
        for kind in ("Classifier", "Regressor")
    },
    "Ridge": {
        "check_non_transformer_estimators_n_iter": "solved directly: n_iter_ is None, as in scikit-learn's Ridge"
    },
}
"""The checks that each estimator fails, and why."""

METHODS_LEFT_OUT = {
    "ElasticNet": {"path"}, "GaussianNB": {"predict_joint_log_proba"}, "KNeighborsClassifier": {"kneighbors_graph"},
    "KNeighborsRegressor": {"kneighbors_graph"}, "Lasso": {"path"}, "LogisticRegression": {"densify", "sparsify"},
    "MultinomialNB": {"predict_joint_log_proba"}, "NearestNeighbors": {"kneighbors_graph", "radius_neighbors_graph"},
    "RandomForestClassifier": {"apply", "decision_path"}, "RandomForestRegressor": {"apply", "decision_path"},
}  # fmt: skip
"""Methods of scikit-learn's classes that ours lack: they return sparse or ragged arrays, or internals of a model."""
NOT_DISTRIBUTED = {"set_callbacks"}

OF_LABELS = frozenset({"LabelBinarizer", "LabelEncoder"})


def estimators() -> list[Any]:
    return [cls(**SMALL.get(name, {})) for name, cls in ESTIMATORS.items() if name not in OF_LABELS]


def test_estimators_have_methods_of_scikit_learn() -> None:
    missing = {}
    for name in learn.__all__:
        path = getattr(getattr(learn, name), "_scikit_learn", None)
        if path is not None:
            module, _, theirs = path.rpartition(".")
            found = getattr(importlib.import_module(module), theirs)
            names = {
                method for method in dir(found) if not method.startswith("_") and callable(getattr(found, method, 0))
            }
            if lacks := {method for method in names if not hasattr(getattr(learn, name), method)} - NOT_DISTRIBUTED:
                missing[name] = lacks
    assert missing == METHODS_LEFT_OUT


CHECKS = parametrize_with_checks(
    estimators(), expected_failed_checks=lambda each: EXPECTED.get(type(each).__name__, {})
)


@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)  # 1.6 has a generator there
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as: not converged on ten rows
        check(estimator)


@pytest.mark.full
def test_arrays_of_the_array_api_are_accepted() -> None:
    # SciPy reads the variable when it is imported, so the checks that need it are skipped above and run here.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", "check_array_api"]
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(rf"^{len(estimators())} passed, \d+ deselected", done.stdout, re.MULTILINE), done.stdout


def test_expected_failures_are_those_of_estimators() -> None:
    assert set(EXPECTED) <= set(ESTIMATORS) - OF_LABELS
