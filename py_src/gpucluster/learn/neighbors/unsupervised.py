"""Nearest neighbours."""

from __future__ import annotations

from ..arrays import Data
from ..delegation.methods import delegable
from ..errors import NotSupported
from .training import NeighborsEstimator


class NearestNeighbors(NeighborsEstimator):
    """Find the nearest rows of training data that are spread over a cluster; exactly.

    Fitting keeps the training data on the workers, each block with an index of its own. Each block of queries is
    compared with each of these, and the results are merged along a tree; see `gpucluster.learn.neighbors.search` for
    the source and the communication. cuML compares by brute force in float32 only; here float64 stays float64, and
    ``algorithm`` may be a tree, which is faster for up to about 15 features.

    Parameters
    ----------
    n_neighbors : int
        How many neighbours `kneighbors` finds.
    radius : float
        Not supported: only 1.0, scikit-learn's default, which `kneighbors` does not use.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}
        How each block is searched.
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

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        radius: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: str = "minkowski",
        p: float = 2,
        metric_params: None = None,
        n_jobs: None = None,
        streams_per_handle: int | None = None,
        batch_size: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.streams_per_handle = streams_per_handle
        self.batch_size = batch_size

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> NearestNeighbors:
        """Keep the training data on the workers.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_rows, n_features)
        y
            Not used.

        Raises
        ------
        InvalidData
            X cannot be used.
        InvalidParameter
            An option is not allowed.
        NotSupported
            An option is not supported.
        """
        if self.radius != 1.0:
            raise NotSupported("radius: neighbours within a radius are not supported. Use kneighbors.")
        self._keep_training_data(X)
        return self
