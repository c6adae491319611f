"""Nearest neighbours."""

from __future__ import annotations

from ..arrays import Data, Output
from ..delegation.methods import delegable
from ..errors import InvalidParameter
from ..parameters import parameter
from .block_index import RADIUS, checked_radius
from .search import radius_search, split_up
from .training import NeighborsEstimator


class NearestNeighbors(NeighborsEstimator):
    """Find the nearest rows of training data on a cluster; exactly.

    Fitting keeps the training data on the workers, each block with its own index. Each block of queries is compared
    with each of these, and the results are merged along a tree; see ``gpucluster.learn.neighbors.search`` for the
    source and the communication. cuML compares by brute force in float32 only; here float64 stays float64, and
    ``algorithm`` may be a tree, which is faster for up to about 15 features.

    Parameters
    ----------
    n_neighbors : int
        Number of neighbours of `kneighbors`.
    radius : float
        Largest distance of `radius_neighbors`.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}
        Search within each block.
    leaf_size : int
        Of the trees.
    metric : {"minkowski", "euclidean", "l2", "manhattan", "cityblock", "l1", "chebyshev", "cosine"}
        Distance.
    p : float
        Exponent of the Minkowski distance.
    metric_params, n_jobs : None
        Not supported.
    streams_per_handle, batch_size : int, optional
        Of cuML's search. Without effect elsewhere.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows.
    effective_metric_ : str
        The distance's plain name.
    n_features_in_ : int
    feature_names_in_ : array of str
        For data frames.
    """

    _scikit_learn = "sklearn.neighbors.NearestNeighbors"

    radius: float = parameter(1.0, RADIUS)

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> NearestNeighbors:
        """Keep the training data on the workers."""
        self._keep_training_data(X)
        return self

    @delegable
    def radius_neighbors(
        self,
        X: Data | None = None,
        radius: float | None = None,
        return_distance: bool = True,
        sort_results: bool = False,
    ) -> Output:
        """Find all training rows around each query; lazily for queries on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_queries, n_features), optional
            Queries. When not given, the training rows, without each row itself.
        radius : float, optional
            Largest distance; that of the estimator when not given.
        return_distance : bool
        sort_results : bool
            Nearest first; otherwise by the rows' numbers.

        Returns
        -------
        distances : array of shape (n_queries,) of arrays, float64
            Only with ``return_distance``.
        rows : array of shape (n_queries,) of arrays, int64
            Numbers among all training rows. Both are Dask arrays where the queries are (or, without queries, the
            training data), else NumPy arrays.

        Raises
        ------
        InvalidParameter
            The radius is not above 0.
        """
        far = checked_radius(self.radius if radius is None else radius)
        if sort_results and not return_distance:
            raise InvalidParameter("return_distance must be True if sort_results is True.")
        results = self._searched(X, radius_search(far))
        rows = results.array(split_up, "rows", sort_results, dtype=object)
        return (results.array(split_up, "distances", sort_results, dtype=object), rows) if return_distance else rows
