"""Lesson 08, a search with joblib: the same answer from threads, processes and the cluster."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ...examination import Examination, describe
from .. import exercise

BACKENDS = ("threading", "loky", "dask")
FOLDS = 3
CANDIDATES = {
    (("n_neighbors", number), ("weights", weights)) for number in (1, 3, 10) for weights in ("uniform", "distance")
}


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
    _expect_searches(exam, found)
    kernel, workers = os.getpid(), set(exam.client.run(os.getpid).values())
    alone = sum(exam.client.nthreads().values()) == 1
    grid = {"number": [int(value) for value in exam.rng.choice(100, 4, replace=False)]}
    X, y = exam.rng.normal(size=(24, 2)), np.tile([0, 1], 12)
    for backend in BACKENDS:
        with exam.client.as_current():
            result = exam.call(search, backend, WhoFitsMe(), dict(grid), X.copy(), y.copy())
        results: Any = getattr(result, "cv_results_", None)
        exam.require("search returns a fitted GridSearchCV", results is not None, describe(result))
        tried = sorted(parameters["number"] for parameters in results["params"])
        exam.expect("Every value of the grid was tried", tried == sorted(grid["number"]), f"{len(tried)} of 4 values")
        _expect_folds(exam, result)
        places = {int(value) for name in results if name.startswith("split") for value in results[name]}
        exam.expect(*_where(backend, places, kernel, workers, alone))


def _expect_folds(exam: Examination, result: Any) -> None:
    folds = int(getattr(result, "n_splits_", 0))
    exam.expect("The cross-validation is three-fold", folds == FOLDS, f"{folds} folds")


def _expect_searches(exam: Examination, found: dict[str, Any]) -> None:
    """Three searches of the cell's grid, each of them run: no two take the same time to the last digit."""
    times = []
    for result in found.values():
        results = result.cv_results_
        tried = [tuple(sorted(parameters.items())) for parameters in results["params"]]
        exam.expect("found has searches of the whole grid", set(tried) == CANDIDATES, f"{len(tried)} combinations")
        _expect_folds(exam, result)
        times.append(tuple(np.asarray(results["mean_fit_time"], dtype=float).tolist()))
    different = len(set(times))
    exam.expect("Each backend has a search of its own in found", different == len(BACKENDS),
                f"{different} different searches" if different > 1 else "three times the same one")  # fmt: skip


def _where(backend: str, places: set[int], kernel: int, workers: set[int], alone: bool) -> tuple[str, bool, str]:
    here, there = kernel in places, bool(places & workers)
    others = len(places - workers - {kernel})
    seen = f"in the notebook: {'yes' if here else 'no'}, workers: {len(places & workers)}, other processes: {others}"
    if backend == "threading":
        return "threading: all work is done in the notebook's own process", places == {kernel}, seen
    if backend == "loky":
        return "loky: all work is done in processes of this machine made for it", not here and not there, seen
    if alone:  # such as one GPU worker: joblib then uses no backend at all
        said = "dask: all work is done by the workers, or here, as joblib hands nothing to a cluster of one thread"
        return said, places <= {*workers, kernel}, seen
    return "dask: all work is done by the workers of the cluster", places <= workers, seen
