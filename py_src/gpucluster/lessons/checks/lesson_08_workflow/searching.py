"""Lesson 08, a search with joblib: the same answer from threads, processes and the cluster."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ...examination import Examination, describe
from .. import exercise

BACKENDS = ("threading", "loky", "dask")


class WhoFitsMe(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns nothing. Its score is the number of the process that computed it."""

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def fit(self, X: Any, y: Any) -> WhoFitsMe:
        """Note the classes, as scikit-learn wants it."""
        self.classes_ = np.unique(y)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the process."""
        return float(os.getpid())


@exercise("08.10", "search", "found")
def check_search(exam: Examination, search: Any, found: Any) -> None:
    """The three searches agree, and each ran where its name says."""
    is_dict = isinstance(found, dict) and set(found) == set(BACKENDS)
    exam.require(f"found is a dictionary with the keys {', '.join(BACKENDS)}", is_dict, describe(found))
    best = [getattr(result, "best_params_", None) for result in found.values()]
    exam.require("Each of its values is a fitted GridSearchCV", None not in best, describe(next(iter(found.values()))))
    exam.expect("All three found the same best parameters", best[0] == best[1] == best[2], f"{best}")
    kernel, workers = os.getpid(), set(exam.client.run(os.getpid).values())
    grid = {"number": [int(value) for value in exam.rng.choice(100, 4, replace=False)]}
    X, y = exam.rng.normal(size=(24, 2)), np.tile([0, 1], 12)
    for backend in BACKENDS:
        with exam.client.as_current():
            result = exam.call(search, backend, WhoFitsMe(), dict(grid), X.copy(), y.copy())
        results: Any = getattr(result, "cv_results_", None)
        exam.require("search returns a fitted GridSearchCV", results is not None, describe(result))
        tried = sorted(parameters["number"] for parameters in results["params"])
        exam.expect("Every value of the grid was tried", tried == sorted(grid["number"]), f"{len(tried)} of 4 values")
        places = {int(value) for name in results if name.startswith("split") for value in results[name]}
        exam.expect(*_where(backend, places, kernel, workers))


def _where(backend: str, places: set[int], kernel: int, workers: set[int]) -> tuple[str, bool, str]:
    here, there = kernel in places, bool(places & workers)
    others = len(places - workers - {kernel})
    seen = f"in the notebook: {'yes' if here else 'no'}, workers: {len(places & workers)}, other processes: {others}"
    if backend == "threading":
        return "threading: all work is done in the notebook's own process", places == {kernel}, seen
    if backend == "loky":
        return "loky: all work is done in processes of this machine made for it", not here and not there, seen
    return "dask: all work is done by the workers of the cluster", places <= workers, seen
