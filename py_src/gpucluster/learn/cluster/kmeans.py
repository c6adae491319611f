"""k-means on rows that lie on many workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..arrays import Array, Data, Output, RandomState, array_namespace_of, to_numpy
from ..delegation.methods import delegable
from ..errors import InvalidParameter, NotSupported, warn_caller
from ..estimator import DistributedEstimator, LazyTransformerMixin
from ..kernels.lloyd import distances_between, labels_of
from ..parameters import Rule, either, parameter, real, unset, whole
from ..rows.shard import available_threads, one_blas_thread
from ..rows.table import as_table, is_dask
from .lloyd import Clustering, assess, kmeans, most_passes, relative
from .seeding import Start

METHODS = {"k-means++": "k-means++", "k-means||": "k-means||", "scalable-k-means++": "k-means||", "random": "random"}
RANDOM_RUNS = 10


class KMeans(ClassNamePrefixFeaturesOutMixin, LazyTransformerMixin, ClusterMixin, DistributedEstimator):
    """k-means with the parameters, defaults and attributes of ``sklearn.cluster.KMeans``.

    Parameters
    ----------
    n_clusters : int
    init : {"k-means++", "k-means||", "random"}, array of shape (n_clusters, n_features) or callable
        First centres. ``k-means++`` makes ``2 n_clusters`` passes over the rows, which is fast while they are in
        memory. ``k-means||`` (or cuML's name, ``scalable-k-means++``) makes 12 passes for any number of clusters: use
        it for more than about 50 clusters, or for data larger than memory. A callable is called with X, ``n_clusters``
        and ``random_state``, so X must be an array in memory.
    n_init : {"auto"} or int
        Number of runs of k-means; the result with the smallest inertia counts. ``auto``: 10 for ``random``, otherwise
        1.
    max_iter : int
    tol : float
        k-means stops when the squared distances that the centres move in one iteration sum to at most this fraction of
        the mean variance of the columns, or when no point changes its cluster.
    verbose : 0
        Ranks do not print; only 0 is allowed.
    random_state : int, RandomState or None
        The first centres depend on the positions of rows and this seed, not on the blocks.
    copy_x : bool
        Without effect: X is never changed.
    algorithm : {"lloyd"}
        ``elkan`` finds the same, but keeps ``n_clusters`` numbers per row; it is refused.
    oversampling_factor : float
        For ``k-means||``: each of 5 rounds chooses about ``oversampling_factor * n_clusters`` rows.
    max_samples_per_batch, device_buffer_samples, init_size : int, optional
        Of cuML's k-means. Without effect elsewhere.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        Of the type of X.
    labels_ : array of shape (n_samples,), int32
        Number of the nearest centre of each row, in the order of X; lazy where X is lazy. Not saved with the model.
    inertia_ : float
        Weighted sum of squared distances to the nearest centre.
    n_iter_ : int

    Notes
    -----
    Sources: S. Lloyd, 1982; D. Arthur and S. Vassilvitskii, 2007 (``k-means++``); B. Bahmani et al., 2012
    (``k-means||``); G. Hamerly, 2010. On CPU each block is processed by scikit-learn's own kernel. Once centres move
    little, workers with one thread skip rows whose nearest centre cannot have changed. That takes 4 bytes and one
    number more per row, and a copy of every 512th row. Weighted rows, and rows of 1 or 2 columns, are never skipped.

    Communication: one allreduce of ``8 n_clusters (n_features + 1)`` bytes per iteration, between workers; scheduler
    and client take no part. ``k-means++``: ``8 (n_features + 4) (2 + log n_clusters)`` bytes per centre.

    Empty clusters get the points that are farthest from their centres, among all rows, as in scikit-learn.

    Data whose mean is large compared with their spread are centred while they are read, so float32 is safe. That also
    holds for predictions, which are less exact in scikit-learn.

    cuML's multi-GPU k-means has no ``k-means++``; its ``labels_`` follow the workers, not the rows of X; it treats
    empty clusters differently; its ``k-means||`` runs up to 8 rounds.
    """

    _scikit_learn = "sklearn.cluster.KMeans"
    _own_parameters = frozenset({"oversampling_factor", "max_samples_per_batch", "device_buffer_samples", "init_size"})

    n_clusters: int = parameter(8, whole(1), kw_only=False)
    init: str | Array | Callable[..., Array] = parameter(
        "k-means++",
        Rule(
            lambda value: not isinstance(value, str) or value in METHODS,
            f"one of {', '.join(METHODS)}, an array of centres or a callable",
        ),
    )
    n_init: int | Literal["auto"] = parameter("auto", either("auto", whole(1)))
    max_iter: int = parameter(300, whole(1))
    tol: float = parameter(1e-4, real(0))
    verbose: int = parameter(0, unset("workers print nothing. Keep 0, and use Dask's dashboard instead.", off=True))
    random_state: RandomState = None
    copy_x: bool = True
    algorithm: str = parameter("lloyd", Rule(lambda value: value in ("lloyd", "elkan"), "'lloyd'"))
    oversampling_factor: float = parameter(2.0, real(0, above=True))
    max_samples_per_batch: int | None = None
    device_buffer_samples: int | None = None
    init_size: int | None = None

    @delegable
    def fit(self, X: Data, y: Data | None = None, sample_weight: Data | None = None) -> KMeans:
        """Find the centres."""
        lazy = is_dask(X)
        keep: dict[int, Array] | None = None if lazy else {}
        n_init = self._n_runs()
        start = self._start(X, n_init)
        found: Clustering = self._fit_with(
            kmeans, X, None, sample_weight, start=start, max_iter=int(self.max_iter),
            tol=float(self.tol), n_init=n_init, keep=keep, passes=most_passes(start, int(self.max_iter), n_init),
        )  # fmt: skip
        if found.n_distinct < self.n_clusters:
            warn_caller(
                f"Number of distinct clusters ({found.n_distinct}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X.",
                ConvergenceWarning,
            )
        self.cluster_centers_ = found.centers
        self.inertia_ = found.inertia
        self.n_iter_ = found.n_iter
        # Lazy labels are made on first access: on few rows, building a graph takes as long as an iteration.
        self._training = {"X": X, "centers": found.centers} if keep is None else {"labels": _in_order(keep)}
        return self

    @property
    def labels_(self) -> Output:
        """Number of the nearest centre of each row that was fitted on."""
        training = getattr(self, "_training", {})
        if "labels" not in training and "X" in training:
            training["labels"] = self._map(_labels, training["X"], training["centers"], dtype=np.int32)
        try:
            return training["labels"]
        except KeyError:
            raise AttributeError(
                "labels_ is available after fit only, and is not saved with a model. Use predict(X)."
            ) from None

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the number of the nearest centre of each row.

        Returns
        -------
        Dask array, series or array of shape (n_samples,)
            int32; lazy where X is lazy.
        """
        return self._map(_labels, X, self.cluster_centers_, dtype=np.int32)

    def fit_predict(self, X: Data, y: Data | None = None, sample_weight: Data | None = None) -> Output:
        """Fit, and return ``labels_``.

        Returns
        -------
        Dask array, series or array of shape (n_samples,)
            int32; lazy where X is lazy.
        """
        return self.fit(X, y, sample_weight).labels_

    @delegable
    def transform(self, X: Data) -> Output:
        """Return the distance of each row to each centre.

        Returns
        -------
        Dask array or data frame, or array, of shape (n_samples, n_clusters)
            Of the type of X, in its units; lazy where X is lazy.
        """
        dtype = as_table(X).X.dtype if is_dask(X) else None
        names = [str(name) for name in self.get_feature_names_out()]
        return self._map(_distances, X, self.cluster_centers_, dtype=dtype, columns=len(names), names=names)

    def score(self, X: Data, y: Data | None = None, sample_weight: Data | None = None) -> float:
        """Return minus the inertia of rows; computed at once.

        Returns
        -------
        float
            Minus the (weighted) sum of squared distances of rows to their nearest centres.
        """
        check_is_fitted(self)
        inertia = self._fit_with(assess, X, None, sample_weight, passes=1, reset=False, centers=self.cluster_centers_)
        return -float(inertia)

    @delegable
    def get_combined_model(self) -> Output:
        """Return a fitted ``sklearn.cluster.KMeans`` with the same centres, which it would start from."""
        seed = self.random_state if isinstance(self.random_state, int) else None
        model = self._plain_model({"init": self.cluster_centers_, "n_init": 1, "random_state": seed})
        model._n_threads = available_threads()
        if isinstance(getattr(self, "_training", {}).get("labels"), np.ndarray):
            model.labels_ = self.labels_
        return model

    @property
    def _n_features_out(self) -> int:
        return int(self.cluster_centers_.shape[0])

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.algorithm == "elkan":
            raise NotSupported(
                "algorithm: 'elkan' keeps n_clusters numbers per row. Use 'lloyd', which gives the same result."
            )

    def _n_runs(self) -> int:
        if not isinstance(self.init, str) and not callable(self.init):
            if self.n_init not in {"auto", 1}:
                warn_caller(f"n_init={self.n_init} has no effect with given centres: one run.", RuntimeWarning)
            return 1
        if self.n_init == "auto":
            return RANDOM_RUNS if self.init == "random" or callable(self.init) else 1
        return int(self.n_init)

    def _start(self, X: Data, n_init: int) -> Start:
        random = check_random_state(self.random_state)
        centers, method = None, "given"
        if callable(self.init):
            if is_dask(X):
                raise NotSupported(
                    "init: a callable is not supported, because it needs all rows in one process. Pass an array of "
                    "centers."
                )
            centers = np.stack([
                self._checked_centers(self.init(X, self.n_clusters, random_state=random), X) for _ in range(n_init)
            ])  # fmt: skip
        elif isinstance(self.init, str):
            method = METHODS[self.init]
        else:
            centers = self._checked_centers(self.init, X)[None]
        return Start(method, int(self.n_clusters), int(random.randint(2**31 - 1)), centers, self.oversampling_factor)

    def _checked_centers(self, centers: ArrayLike, X: Data) -> Array:
        try:
            centers = np.asarray(to_numpy(centers), dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidParameter("init: must be an array of numbers.") from None
        shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
        n_features = shape[1] if len(shape) == 2 else centers.shape[-1]
        if centers.shape != (self.n_clusters, n_features):
            raise InvalidParameter(
                f"init: the shape of the initial centers {centers.shape} does not match the number of clusters and of "
                f"features of the data, ({self.n_clusters}, {n_features})."
            )
        if not np.isfinite(centers).all():
            raise InvalidParameter("init: contains NaN or infinity.")
        return centers


def _labels(X: Array, centers: Array) -> Array:
    centers, offset = relative(X, centers)
    with one_blas_thread():
        return labels_of(X, centers, offset, available_threads())


def _distances(X: Array, centers: Array) -> Array:
    centers, offset = relative(X, centers)
    return array_namespace_of(X).sqrt(distances_between(X, centers, offset))


def _in_order(labels: dict[int, Array]) -> Array:
    parts = [labels[start] for start in sorted(labels)]
    return np.concatenate(parts) if parts else np.empty(0, np.int32)
