"""What was found for all queries, as arrays, series and data frames: lazy ones where the queries are lazy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import DTypeLike

from ...dask_internals.collections import meta
from ..arrays import Output
from ..rows.waiting import computed


@dataclass(frozen=True)
class SearchResults:
    """Neighbours of all queries, block by block."""

    found: list[Any]
    """`Found` of each block of queries; where lazy, what stands for it."""
    lengths: list[Any]
    """Number of queries of each block; NaN where unknown."""
    lazy: bool
    computes: bool
    """Whether the result is wanted in memory although the neighbours are found on Dask."""
    frame: Any = None
    """Data frame of the queries."""

    def array(self, function: Callable[..., Any], *arguments: Any, dtype: DTypeLike, columns: int | None = None) -> Any:
        """Return ``function(found, *arguments)`` of all blocks as one array.

        Parameters
        ----------
        function : callable
            Returns an array of shape (n_queries,), or (n_queries, columns).
        *arguments
            Small.
        dtype
            Of the array.
        columns : int, optional
        """
        if not self.lazy:
            return function(self.found[0], *arguments)
        import dask.array as da
        from dask.delayed import delayed

        apply = delayed(function, pure=False)
        tail = () if columns is None else (columns,)
        parts = [
            da.from_delayed(apply(found, *arguments), shape=(length, *tail), dtype=dtype)
            for found, length in zip(self.found, self.lengths, strict=True)
        ]
        array = da.concatenate(parts, allow_unknown_chunksizes=True)
        return computed(array)[0] if self.computes else array

    def like_queries(
        self, function: Callable[..., Any], *arguments: Any, dtype: DTypeLike, columns: int | None = None
    ) -> Output:
        """Return the same as an array for arrays, and as a series or data frame for a data frame of queries."""
        if self.frame is None:
            return self.array(function, *arguments, dtype=dtype, columns=columns)
        import dask.dataframe as dd
        from dask.delayed import delayed

        empty = meta(self.frame).iloc[:0]
        names = None if columns is None else [str(number) for number in range(columns)]
        if names is None:
            like = empty.iloc[:, 0].astype(dtype).rename(None)
        else:
            like = type(empty)({name: empty.iloc[:, 0].astype(dtype) for name in names}, index=empty.index)
        shaped = delayed(_framed, pure=False)
        parts = [
            shaped(partition, found, function, arguments, like)
            for partition, found in zip(self.frame.to_delayed(), self.found, strict=True)
        ]
        # Verified, because Dask (2026.8) makes arrays of unverified partitions that cannot be computed.
        return dd.from_delayed(parts, meta=like, divisions=self.frame.divisions, verify_meta=True)


def _framed(partition: Any, found: Any, function: Callable[..., Any], arguments: tuple[Any, ...], meta: Any) -> Any:
    values = function(found, *arguments)
    if meta.ndim == 1:
        return type(meta)(values, index=partition.index, dtype=meta.dtype)
    return type(meta)(values, index=partition.index, columns=meta.columns)
