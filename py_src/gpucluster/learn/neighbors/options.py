"""Which options of estimators of neighbours are allowed."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import InvalidParameter, NotSupported

METRICS = frozenset({"chebyshev", "cityblock", "cosine", "euclidean", "l1", "l2", "manhattan", "minkowski"})
ALGORITHMS = frozenset({"auto", "ball_tree", "brute", "kd_tree"})


def index_options(estimator: Any) -> dict[str, Any]:
    """Return what scikit-learn's index of a block is made with, if all options of an estimator are allowed.

    Raises
    ------
    InvalidParameter, NotSupported
        They are not.
    """
    algorithm, metric = estimator.algorithm, estimator.metric
    checked_count(estimator.n_neighbors)
    if metric not in METRICS:
        raise InvalidParameter(f"metric: must be one of {', '.join(sorted(METRICS))}, not {metric!r}.")
    if algorithm not in ALGORITHMS:
        raise InvalidParameter(f"algorithm: must be one of {', '.join(sorted(ALGORITHMS))}, not {algorithm!r}.")
    if metric == "cosine" and algorithm in {"ball_tree", "kd_tree"}:
        raise InvalidParameter(f"algorithm: {algorithm} does not know cosine distances. Use 'brute'.")
    if metric == "minkowski" and not (isinstance(estimator.p, int | float | np.number) and estimator.p > 0):
        raise InvalidParameter(f"p: must be a number above 0, not {estimator.p!r}.")
    if estimator.metric_params is not None:
        raise NotSupported("metric_params: is not supported. Minkowski's exponent is the parameter p.")
    if estimator.n_jobs is not None:
        raise NotSupported("n_jobs: how many work at the same time is up to the cluster. Leave it out.")
    return {"algorithm": algorithm, "leaf_size": estimator.leaf_size, "metric": metric, "p": estimator.p}


def checked_count(n_neighbors: Any) -> int:
    """Return a number of neighbours, if it is one.

    Raises
    ------
    InvalidParameter
        It is not.
    """
    if not isinstance(n_neighbors, Integral) or isinstance(n_neighbors, bool):
        raise InvalidParameter(f"n_neighbors does not take {type(n_neighbors)} value, enter integer value")
    if n_neighbors <= 0:
        raise InvalidParameter(f"Expected n_neighbors > 0. Got {n_neighbors}")
    return int(n_neighbors)


def checked_radius(radius: Any) -> float:
    """Return a radius, if it is one.

    Raises
    ------
    InvalidParameter
        It is not.
    """
    if not isinstance(radius, Real) or isinstance(radius, bool) or not float(radius) > 0:
        raise InvalidParameter(f"radius: must be a number above 0, not {radius!r}.")
    return float(radius)


def effective_metric(metric: str, p: float) -> str:
    """Return the plain name of a distance, as scikit-learn does."""
    if metric == "minkowski":
        return {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}.get(p, "minkowski")
    return metric
