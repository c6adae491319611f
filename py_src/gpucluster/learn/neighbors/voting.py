"""How neighbours' targets become a prediction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Array
from ..errors import InvalidData, InvalidParameter
from .block_index import Found
from .training import NeighborsEstimator

Weighting = str | Callable[[Array], Array] | None
"""``uniform`` (or ``None``), ``distance``, or a function that makes weights of distances of shape (n_queries, k)."""


class NeighborsPredictor(NeighborsEstimator):
    """Base of the estimators that predict by neighbours."""

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Weighting = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: str = "minkowski",
        metric_params: None = None,
        n_jobs: None = None,
        streams_per_handle: int | None = None,
        batch_size: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.streams_per_handle = streams_per_handle
        self.batch_size = batch_size


def checked_weighting(weights: Weighting) -> Weighting:
    """Return how neighbours are weighted, if that is allowed.

    Raises
    ------
    InvalidParameter
        It is not.
    """
    if weights in ("uniform", "distance", None) or callable(weights):
        return weights
    raise InvalidParameter(f"weights: must be 'uniform', 'distance' or a function, not {weights!r}.")


def neighbour_weights(distances: Array, weights: Weighting) -> Array:
    """Return the weight of each neighbour.

    Parameters
    ----------
    distances : array of shape (n_queries, k)
    weights
        With ``distance``, the inverse of the distance; a training row that equals the query then is the only one that
        counts (several of these: equally), as in scikit-learn.
    """
    if weights in ("uniform", None):
        return np.ones_like(distances)
    if callable(weights):
        return np.asarray(weights(distances))
    with np.errstate(divide="ignore"):
        inverse = 1.0 / distances
    same = np.isinf(inverse)
    inverse[same.any(axis=1)] = same[same.any(axis=1)]
    return inverse


def shares(found: Found, output: int, n_classes: int, weights: Weighting) -> Array:
    """Return each class's share of the neighbours; array of shape (n_queries, n_classes), float64.

    Parameters
    ----------
    found : Found
        With codes of classes as targets, a column for each output.
    output : int
        Which one is asked for.
    n_classes : int
    weights

    Raises
    ------
    InvalidData
        All neighbours of a query weigh nothing.
    """
    assert found.targets is not None
    votes = np.zeros((len(found.rows), n_classes))
    queries = np.arange(len(votes))
    given = neighbour_weights(found.distances, weights)
    for number in range(found.rows.shape[1]):
        votes[queries, found.targets[:, number, output]] += given[:, number]
    total = votes.sum(axis=1, keepdims=True)
    if (total == 0).any():
        raise InvalidData(
            "weights: all neighbours of a query weigh nothing. Return something positive for one of them."
        )
    return votes / total


def winners(found: Found, classes: list[Array], weights: Weighting) -> Array:
    """Return the class with the largest share, of equal ones the first.

    Array of shape (n_queries,), or (n_queries, n_outputs) where there are classes of several outputs.
    """
    chosen = [one[shares(found, number, len(one), weights).argmax(axis=1)] for number, one in enumerate(classes)]
    return chosen[0] if len(chosen) == 1 else np.stack(chosen, axis=1)


def means(found: Found, weights: Weighting) -> Array:
    """Return the weighted mean of the neighbours' targets; array of shape (n_queries,) or (n_queries, n_targets)."""
    assert found.targets is not None
    if weights in ("uniform", None):
        return found.targets.mean(axis=1)
    given = neighbour_weights(found.distances, weights)
    if found.targets.ndim == 3:
        given = given[:, :, None]
    return (found.targets * given).sum(axis=1) / given.sum(axis=1)
