"""DBSCAN on rows that lie on many workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from sklearn.base import ClusterMixin

from ...dask_internals.collections import with_chunks
from ..arrays import Array, DaskArray, Data, Output, to_numpy
from ..delegation.methods import delegable
from ..errors import InvalidParameter
from ..estimator import DistributedEstimator
from ..parameters import Rule, one_of, parameter, real, unset, whole
from ..rows.running import local_communicator, run_table
from ..rows.table import is_dask
from ..rows.waiting import computed
from .density import Grouping, density_clusters

_PRECOMPUTED = "'precomputed' requires all distances. Pass rows and a metric."


class DBSCAN(ClusterMixin, DistributedEstimator):
    """DBSCAN with the parameters, defaults and attributes of ``sklearn.cluster.DBSCAN``.

    Parameters
    ----------
    eps : float
        Largest distance between neighbours.
    min_samples : int
        Number (or total weight) of neighbours, itself included, from which on a row is a core row.
    metric : str or callable
        As in ``sklearn.neighbors.NearestNeighbors``; not ``precomputed``.
    metric_params : dict, optional
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}
    leaf_size : int
    p : float, optional
        Power of the Minkowski metric.
    n_jobs : None
        Each worker uses the threads it has.

    Attributes
    ----------
    labels_ : array of shape (n_samples,), int64
        Cluster of each row in the order of X, -1 for noise. A lazy Dask array where X is one (for data frames too).
    core_sample_indices_ : array of shape (n_core_samples,)
    components_ : array of shape (n_core_samples, n_features)
        The core rows; lazy where X is. Neither these nor the labels are saved with the model.

    Notes
    -----
    The result is scikit-learn's, with the same numbers of clusters: clusters are numbered by their first core rows, and
    a row that is not a core row but near core rows of several clusters belongs to the one with the smallest number. Two
    rows whose distance equals ``eps`` up to rounding may be neighbours in only one of the two implementations.

    Source: M. Ester et al., 1996; with disjoint sets, M. Patwary et al., 2012.

    Communication, with a Minkowski metric (p = 1, 2 or infinity) and up to 15 columns: each worker gets the rows of a
    region of space and those within ``eps`` of it, whatever the order of the rows, and searches a KD-tree; then two
    allreduces of ``8 n_samples`` bytes. Otherwise, and where one region with its halo would have more than 1.5
    times its share of the rows, every block goes to every worker once; where a worker then finds more than 4 million
    pairs of neighbours, it forgets them, and core rows go to all workers once more. Memory of a worker: its rows and
    those of its region (or 64 MiB of other rows, or one block) with a search tree, those pairs, and some 50 bytes per
    row of the whole table. Labels come to the client. Time grows with the square of the rows unless a tree helps (few
    columns, small ``eps``).

    cuML's multi-GPU form takes an array in memory and sends all of it to all workers. Blocks on GPUs are
    copied to the workers' host memory.
    """

    _scikit_learn = "sklearn.cluster.DBSCAN"

    eps: float = parameter(0.5, real(0, above=True), kw_only=False)
    min_samples: int = parameter(5, whole(1))
    metric: str | Callable[..., float] = parameter(
        "euclidean", Rule(lambda value: value != "precomputed", advice=_PRECOMPUTED)
    )
    metric_params: dict[str, Any] | None = None
    algorithm: str = parameter("auto", one_of("auto", "ball_tree", "kd_tree", "brute"))
    leaf_size: int = 30
    p: float | None = None
    n_jobs: int | None = parameter(
        None, unset("each worker uses the threads it has. Omit it, and choose workers instead.")
    )

    @delegable
    def fit(self, X: Data, y: Data | None = None, sample_weight: Data | None = None) -> DBSCAN:
        """Find the clusters.

        A row of weight ``min_samples`` is a core row without any neighbour; a negative weight keeps its neighbours from
        becoming core rows.
        """
        search = {name: getattr(self, name) for name in ("metric", "metric_params", "algorithm", "leaf_size")}
        options: dict[str, Any] = {
            "eps": float(self.eps), "min_samples": int(self.min_samples),
            "search": search if self.p is None else {**search, "p": self.p},
        }  # fmt: skip
        found: Grouping
        if not is_dask(X):
            X = self._densified(X)
            found = self._fit_with(density_clusters, X, None, sample_weight, **options)
            values = np.asarray(X)
            own = self._own_rows(len(found.labels), len(values))
            self._keep(found.labels[own], found.core[own], values)
            return self
        table = self._table(X, None, sample_weight)
        found = run_table(density_clusters, table.in_host_memory(), options)
        self._keep(found.labels, found.core, with_chunks(table.X, (found.lengths, *table.X.chunks[1:])))
        return self

    @property
    def labels_(self) -> Output:
        """Cluster of each row that was fitted on."""
        return self._kept("labels_", "labels")

    @property
    def components_(self) -> Output:
        """The core rows."""
        rows = self._kept("components_", "rows")
        return rows[self.core_sample_indices_] if is_dask(rows) else rows

    def fit_predict(
        self, X: Data, y: Data | None = None, sample_weight: Data | None = None, *, out_dtype: DTypeLike = np.int64
    ) -> Output:
        """Fit, and return ``labels_``.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_features)
        y
            Ignored.
        sample_weight : Dask array or series, or array, of shape (n_samples,), optional
        out_dtype : {"int64", "int32"}
            Of what is returned, as in cuML; ``labels_`` is int64.

        Returns
        -------
        Dask array or array of shape (n_samples,)
            -1 for noise; lazy where X is lazy.
        """
        if out_dtype not in ("int32", "int64", np.int32, np.int64):
            raise InvalidParameter(f"out_dtype: must be 'int32' or 'int64', not {out_dtype!r}.")
        return self.fit(X, y, sample_weight).labels_.astype(out_dtype, copy=False)

    @delegable
    def get_combined_model(self) -> Output:
        """Return a fitted ``sklearn.cluster.DBSCAN``; its labels and core rows are brought to this process."""
        return self._plain_model(labels_=_brought(self.labels_), components_=_brought(self.components_))

    def _keep(self, labels: Array, core: Array, X: Array | DaskArray) -> None:
        self.core_sample_indices_ = np.flatnonzero(core)
        if is_dask(X):
            import dask.array as da

            # `components_` takes the core rows from X on access, so nothing is kept on the workers.
            labels = da.from_array(labels, chunks=(X.chunks[0],), name=False)
        self._training = {"labels": labels, "rows": X if is_dask(X) else X[self.core_sample_indices_]}

    def _own_rows(self, n_all: int, n_own: int) -> slice:
        if n_all == n_own:
            return slice(None)
        communicator = local_communicator()
        lengths = communicator.allgather(n_own)
        start = sum(lengths[: communicator.rank])
        return slice(start, start + n_own)

    def _kept(self, attribute: str, name: str) -> Output:
        try:
            return self._training[name]
        except (AttributeError, KeyError):
            raise AttributeError(f"{attribute} is available after fit only, and is not saved with a model.") from None


def _brought(rows: Array | DaskArray) -> Array:
    return to_numpy(computed(rows)[0] if is_dask(rows) else rows)
