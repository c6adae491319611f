"""`NearestNeighbors`, and the base of all estimators of neighbours: they keep the training data and search them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from copy import deepcopy
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from dask.delayed import delayed
from numpy.typing import DTypeLike

from ...dask_internals.loops import in_dask_thread
from ...dask_internals.scheduler_information import known_scheduler_id
from ..arrays import Array, Data, Output, PlainModel, to_numpy
from ..checks import no_rows
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter, NotSupported
from ..estimator import DistributedEstimator, frame_like, framed
from ..parameters import one_of, parameter, real, unset
from ..rows.running import local_communicator
from ..rows.table import as_table, is_dask, stacked
from ..rows.waiting import attached, computed, current_client, waiting
from .block_index import RADIUS, BlockIndex, build, checked_count, effective_metric, index_options
from .search import Search, Training, build_indexes, nearest_search, radius_search, split_up


@dataclass(frozen=True)
class SearchResults:
    """Neighbours of all queries, block by block."""

    found: list[Any]  # Result of each block of queries; delayed where lazy.
    lengths: list[Any]  # Number of queries of each block; NaN where unknown.
    lazy: bool
    computes: bool  # Whether to compute the lazy result, because the queries are in memory.
    frame: Any = None  # Data frame of the queries.

    def array(self, function: Callable[..., Any], *arguments: Any, dtype: DTypeLike, columns: int | None = None) -> Any:
        """Return ``function(found, *arguments)`` of all blocks as one array.

        The function returns an array of shape (n_queries,), or (n_queries, columns); its arguments are small.
        """
        if not self.lazy:
            return function(self.found[0], *arguments)
        apply = delayed(function, pure=False)
        blocks = [apply(found, *arguments) for found in self.found]
        array = stacked(blocks, self.lengths, () if columns is None else (columns,), dtype=dtype)
        return computed(array)[0] if self.computes else array

    def like_queries(
        self, function: Callable[..., Any], *arguments: Any, dtype: DTypeLike, columns: int | None = None
    ) -> Output:
        """Return the same as an array for arrays, and as a series or data frame for a data frame of queries."""
        if self.frame is None:
            return self.array(function, *arguments, dtype=dtype, columns=columns)
        import dask.dataframe as dd

        like = frame_like(self.frame, dtype, columns)
        shaped = delayed(_framed, pure=False)
        parts = [
            shaped(partition, found, function, arguments, like)
            for partition, found in zip(self.frame.to_delayed(), self.found, strict=True)
        ]
        # Dask (2026.8) makes arrays that cannot be computed of unverified partitions.
        return dd.from_delayed(parts, meta=like, divisions=self.frame.divisions, verify_meta=True)


def _framed(partition: Any, found: Any, function: Callable[..., Any], arguments: tuple[Any, ...], like: Any) -> Any:
    return framed(function(found, *arguments), partition.index, like)


QUERY_ROWS = 4096  # Rows of a block of queries in memory that is sent to the workers.


class NeighborsEstimator(DistributedEstimator):
    """Base of the estimators of neighbours."""

    n_neighbors: int = 5
    algorithm: str = parameter("auto", one_of("auto", "ball_tree", "kd_tree", "brute"))
    leaf_size: int = 30
    p: float = parameter(2, real(0, above=True))
    metric: str = parameter(
        "minkowski", one_of("minkowski", "euclidean", "l2", "manhattan", "cityblock", "l1", "chebyshev", "cosine")
    )
    metric_params: None = parameter(None, unset("is not supported. Minkowski's exponent is the parameter p."))
    n_jobs: None = parameter(None, unset("the cluster determines the parallelism. Omit it."))
    streams_per_handle: int | None = None
    batch_size: int | None = None
    _own_parameters = frozenset({"streams_per_handle", "batch_size"})
    _not_saved_because: ClassVar[str] = (
        "its model is the training data, which are on the workers. Save them (X.to_zarr, X.to_parquet) and fit again, "
        "or bring them here with get_combined_model()."
    )

    _cluster: str | None = None
    """Identifier of the scheduler whose workers keep the training data; ``None`` where they are in this process."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Hold the training data again, if this process has a client of their cluster; otherwise on first use."""
        super().__setstate__(state)
        # Not in a scheduler, which keeps the tasks that it has unpickled for a while.
        if self._cluster is not None and not in_dask_thread():
            from distributed import Client

            with suppress(ValueError):
                attached(self._training.blocks, Client.current(), self._cluster)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Share the client, and training data on Dask, which never change."""
        copy = type(self).__new__(type(self))
        shared = {"_client", "_training"} if self._cluster is not None else {"_client"}
        for name, value in vars(self).items():
            setattr(copy, name, value if name in shared else deepcopy(value, memo))
        return copy

    def _reached_training(self) -> Training:
        """Return the training data, if this process has a client of the cluster that keeps them."""
        if self._cluster is not None and not attached(self._training.blocks, current_client(), self._cluster):
            raise InvalidData(
                f"{type(self).__name__}: the training data is on a cluster that this process is not connected to. "
                "Connect to that cluster, or pickle get_combined_model() instead, which holds the data."
            )
        return self._training

    def _keep_training_data(self, X: Data, y: Data | None = None) -> None:
        """Keep the training data in place, each block with its index; keep nothing if that fails."""
        options = index_options(self)
        self._require_y(y)
        with waiting(current_client() if is_dask(X) else None, X, y) as scope:
            training = self._indexed(X, y, options, scope)
            self.n_samples_fit_ = sum(training.lengths)
            if self.n_samples_fit_ == 0:
                raise no_rows()
            self._training = self._with_targets(training, scope)
            scope.pop_all()
        client = current_client() if training.lazy else None
        self._cluster = None if client is None else known_scheduler_id(client)
        self.effective_metric_ = effective_metric(self.metric, self.p)
        self.effective_metric_params_ = {"p": self.p} if self.effective_metric_ == "minkowski" else {}

    def _with_targets(self, training: Training, scope: ExitStack) -> Training:
        return training

    def _indexed(self, X: Data, y: Data | None, options: dict[str, Any], scope: ExitStack) -> Training:
        if is_dask(X):
            table = self._table(X, y)
            if table.on_gpu and find_spec("cuml") is None:
                raise NotSupported(
                    f"{type(self).__name__}: data on GPUs requires cuML. Install gpucluster[gpu-cu13], or copy the "
                    "data to the CPU: X.map_blocks(cupy.asnumpy)."
                )
            blocks = build_indexes(table, options, scope)
            lengths = list(computed(*[delayed(getattr)(block, "n_rows") for block in blocks]))
            starts = [0, *accumulate(lengths)][:-1]
        else:
            checked = self._checked(X, y, **({} if y is None else {"multi_output": True}))
            communicator = local_communicator()
            blocks = [build(*checked, options)]
            counts = communicator.allgather(len(checked[0]))
            starts, lengths = [sum(counts[: communicator.rank])], [sum(counts)]
        return Training(blocks, starts, lengths, is_dask(X))

    @delegable
    def kneighbors(self, X: Data | None = None, n_neighbors: int | None = None, return_distance: bool = True) -> Output:
        """Find the nearest training rows of each query; lazily for queries on Dask.

        Parameters
        ----------
        X : Dask array or data frame, or array of shape (n_queries, n_features), optional
            Queries. When not given, the training rows, without each row itself.
        n_neighbors : int, optional
            Number of neighbours; that of the estimator when not given.
        return_distance : bool

        Returns
        -------
        distances : array of shape (n_queries, n_neighbors), float64
            Nearest first. Only with ``return_distance``.
        rows : array of shape (n_queries, n_neighbors), int64
            Numbers among all training rows. Of rows at the same distance, those with lower numbers come first.
            Both are Dask arrays where the queries are (or, without queries, the training data), else NumPy arrays.

        Raises
        ------
        InvalidData
            There are fewer training rows than neighbours, or queries have other columns than the training data.
        """
        k = checked_count(self.n_neighbors if n_neighbors is None else n_neighbors)
        results = self._search(X, k)
        rows = results.array(getattr, "rows", dtype=np.int64, columns=k)
        if not return_distance:
            return rows
        return results.array(getattr, "distances", dtype=np.float64, columns=k), rows

    def _search(self, X: Data | None, k: int) -> SearchResults:
        if k + (X is None) > self.n_samples_fit_:
            raise InvalidData(
                f"Expected n_neighbors {'<' if X is None else '<='} n_samples_fit, but n_neighbors = {k}, "
                f"n_samples_fit = {self.n_samples_fit_}, n_samples = {self.n_samples_fit_ if X is None else len(X)}"
            )
        return self._searched(X, nearest_search(k + 1 if X is None else k))

    def _searched(self, X: Data | None, search: Search) -> SearchResults:
        """Search for the queries, or for the training rows."""
        training = self._reached_training()
        if X is None:
            return self._searched_for_training_rows(search)
        if is_dask(X):
            table = as_table(X)
            self._check_columns(table.n_features, table.names)
        else:
            given, _ = self._checked(X, reset=False)
            if not training.lazy:
                mine = search.on_ranks(local_communicator(), training.blocks[0], training.starts[0], given)
                return SearchResults([mine], lengths=[len(given)], lazy=False, computes=False)
            import dask.array as da

            table = as_table(da.from_array(given, chunks=(QUERY_ROWS, -1), name=False))
        queries = [block[0] for block in table.delayed_blocks()]
        found = [search.delayed(self._as_lazy(), block) for block in queries]
        frame = X if is_dask(X) and table.names is not None else None
        return SearchResults(found, lengths=list(table.X.chunks[0]), lazy=True, computes=not is_dask(X), frame=frame)

    def _searched_for_training_rows(self, search: Search) -> SearchResults:
        training = self._reached_training()
        if not training.lazy:
            block, start = training.blocks[0], training.starts[0]
            found = search.without_itself(search.on_ranks(local_communicator(), block, start, block.X), start)
            return SearchResults([found], lengths=[block.n_rows], lazy=False, computes=False)
        without_itself = delayed(search.without_itself, pure=False)
        lazy = [
            without_itself(search.delayed(training, delayed(getattr)(block, "X")), start)
            for block, start in zip(training.blocks, training.starts, strict=True)
        ]
        return SearchResults(lazy, lengths=training.lengths, lazy=True, computes=False)

    def _as_lazy(self) -> Training:
        """Return the training data as delayed objects, even if they are in memory."""
        training = self._reached_training()
        if training.lazy:
            return training
        if local_communicator().size > 1:
            raise NotSupported(
                "X: is a Dask collection, but the training data is distributed over MPI ranks. Use arrays in memory."
            )
        [block] = training.blocks
        return Training([delayed(block, pure=False, traverse=False)], [0], training.lengths, lazy=True)

    @delegable
    def get_combined_model(self) -> PlainModel:
        """Return scikit-learn's fitted estimator of the same name; brings all training rows to this process."""
        blocks: list[BlockIndex] = list(computed(*self._reached_training().blocks))
        blocks = [block for block in blocks if block.n_rows]
        targets = None if blocks[0].targets is None else np.concatenate([block.targets for block in blocks])
        X = np.concatenate([to_numpy(block.X) for block in blocks])
        return self._plain_class()(**self._plain_parameters()).fit(X, self._own_targets(targets))

    def _own_targets(self, gathered: Array | None) -> Array | None:
        """Return the original targets of those that the blocks hold."""
        return gathered


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
        radius = self.radius if radius is None else radius
        RADIUS.check("radius", radius)
        if sort_results and not return_distance:
            raise InvalidParameter("return_distance must be True if sort_results is True.")
        results = self._searched(X, radius_search(float(radius)))
        rows = results.array(split_up, "rows", sort_results, dtype=object)
        return (results.array(split_up, "distances", sort_results, dtype=object), rows) if return_distance else rows
