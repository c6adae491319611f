"""Dask arrays and data frames as tables of numbers, with checks and error messages."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from dask.base import is_dask_collection, optimize
from dask.delayed import delayed

from ...dask_internals.collections import are_futures, delayed_blocks, meta, with_chunks
from ..arrays import (
    Array,
    Collection,
    DaskArray,
    DaskFrame,
    Data,
    Delayed,
    Dtype,
    array_namespace_of,
    is_of_numpy,
    on_gpus,
    to_numpy,
)
from ..errors import InvalidData
from .waiting import computed, current_client, persisted, require_own, waiting

if TYPE_CHECKING:
    from typing_extensions import TypeIs


GPU_SPEED = 512  # A GPU reads 1 to 4 TB a second; k-means on a CPU thread reads 2 GB.


def is_dask(data: object) -> TypeIs[Collection]:
    return bool(is_dask_collection(data))


def refuse_masked(data: Data, name: str) -> None:
    """Refuse a Dask array of masked arrays, which would lose their masks."""
    if isinstance(meta(data), np.ma.MaskedArray):
        raise InvalidData(
            f"{name}: masked arrays are not supported. Fill the masked values: dask.array.ma.filled({name}, value)."
        )


def require_table(X: Collection) -> None:
    """Refuse other dimensions than 2, Dask arrays of masked arrays, and those chunked along their columns."""
    refuse_masked(X, "X")
    if X.ndim != 2:
        raise InvalidData(
            f"X: expected 2 dimensions (rows and columns), got {X.ndim}. Reshape your data: X.reshape(-1, 1) or "
            "X.to_frame() makes one column, X.reshape(1, -1) one row."
        )
    if is_dask_array(X) and X.numblocks[1] > 1:
        raise InvalidData(
            f"X: is chunked along its columns too ({X.numblocks[1]} chunks), but each row must be in one chunk. "
            "Use X.rechunk({1: -1})."
        )


def is_dask_array(data: object) -> TypeIs[DaskArray]:
    """Whether this is a Dask array; other Dask collections are data frames and series."""
    return is_dask(data) and hasattr(data, "chunks")


@dataclass(frozen=True)
class Table:
    """A Dask array of shape (n_rows, n_features), chunked along its rows only, with targets and weights."""

    X: DaskArray
    y: DaskArray | None = None
    weights: DaskArray | None = None
    names: list[str] | None = None  # Names of the columns, if X was a data frame.

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def n_blocks(self) -> int:
        return int(self.X.numblocks[0])

    @property
    def n_rows(self) -> int | None:
        """Number of rows; ``None`` where it is unknown before computing."""
        return None if math.isnan(self.X.shape[0]) else int(self.X.shape[0])

    @property
    def on_gpu(self) -> bool:
        return on_gpus(self.X)

    @property
    def speed(self) -> int:
        """Approximate speed of reading its blocks, relative to a CPU thread."""
        return GPU_SPEED if self.on_gpu else 1

    @property
    def collections(self) -> list[DaskArray]:
        """X, and y and weights if any."""
        return [part for part in (self.X, self.y, self.weights) if part is not None]

    def starts(self) -> list[int | None]:
        """Return the number of the first row of each block, or ``None`` for each if unknown."""
        if self.n_rows is None:
            return [None] * self.n_blocks
        return [0, *accumulate(self.X.chunks[0])][:-1]

    def with_known_lengths(self) -> Table:
        """Return the same table with known numbers of rows, counted in a pass over the data if necessary."""
        if self.n_rows is not None:
            return self
        counted = self.X.copy()
        with waiting(current_client(), counted):
            counted.compute_chunk_sizes()
        chunks = counted.chunks[0]
        y, weights = (
            None if part is None else with_chunks(part, (chunks, *part.chunks[1:])) for part in (self.y, self.weights)
        )
        return replace(self, X=counted, y=y, weights=weights)

    def is_persisted(self) -> bool:
        return all(map(are_futures, self.collections))

    def persisted(self, scope: ExitStack) -> Table:
        """Return the same table, computed and kept on the workers (without workers, in this process).

        What was not persisted before is released when the scope of `waiting` ends.
        """
        if self.is_persisted():
            return self
        kept = iter(persisted(scope, *self.collections))
        return replace(self, **{name: next(kept) for name in ("X", "y", "weights") if getattr(self, name) is not None})

    def in_host_memory(self) -> Table:
        """Return the same table with blocks in the workers' host memory, for algorithms without GPU support."""
        if not self.on_gpu:
            return self
        X, y, weights = (None if part is None else _on_host(part) for part in (self.X, self.y, self.weights))
        assert X is not None
        return replace(self, X=X, y=y, weights=weights)

    def delayed_blocks(self) -> list[list[Delayed]]:
        """Return the delayed X, y and weights of each block (``None`` for missing ones)."""
        made = iter(optimize(*self.collections))
        parts = [None if part is None else next(made) for part in (self.X, self.y, self.weights)]
        blocks = [None if part is None else delayed_blocks(part) for part in parts]
        return [[None if part is None else part[number] for part in blocks] for number in range(self.n_blocks)]


def as_table(X: Collection, y: Data | None = None, weights: Data | None = None, *, y_name: str = "y") -> Table:
    """Return Dask collections as a table; nothing is computed, except lengths of blocks that `with_lengths` needs.

    float32 and float64 stay, other numbers become float64 (float16: float32), sparse blocks become dense when they are
    computed. ``y_name`` is for error messages. Raises `InvalidData` for a wrong number of dimensions or rows, chunks
    along the columns, and columns without numbers.
    """
    array, names = _features(X)
    array, y, weights = with_lengths(array, y, weights)
    y, weights = aligned(y, array, y_name, (1, 2)), aligned(weights, array, "sample_weight", (1,))
    return Table(array, y, None if weights is None else _weights(weights), names)


def _weights(array: DaskArray) -> DaskArray:
    if _is_number(array.dtype):
        return array
    if array.dtype.kind != "O":
        raise InvalidData(f"sample_weight: must be numbers, not {array.dtype}.")
    lazy: Any = array
    return lazy.map_blocks(_weights_of_block, dtype=np.float64, meta=np.empty(0))


def _weights_of_block(block: Array) -> Array:
    try:
        return block.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidData("sample_weight: must be numbers, but some rows have other values.") from None


def _on_host(array: DaskArray) -> DaskArray:
    lazy: Any = array
    return lazy.map_blocks(to_numpy, dtype=array.dtype, meta=np.empty((0,) * array.ndim, array.dtype))


def _features(X: Collection) -> tuple[DaskArray, list[str] | None]:
    import dask.array as da

    names = None
    if not isinstance(X, da.Array):
        if not hasattr(X, "dtypes"):
            raise InvalidData(
                f"X: must be a Dask array or data frame, not {type(X).__name__}. Create one with dask.array.from_array."
            )
        if X.ndim == 1:
            raise InvalidData("X: must be a data frame, not one column. Use X.to_frame().")
        wrong = [str(name) for name, dtype in X.dtypes.items() if not _is_number(dtype)]
        if wrong:
            raise InvalidData(
                f"X: {', '.join(map(repr, wrong[:5]))} {'is' if len(wrong) == 1 else 'are'} not numeric. Drop such "
                "columns, or encode them first (OneHotEncoder)."
            )
        kinds = sorted({type(name).__name__ for name in X.columns})
        if "str" in kinds and len(kinds) > 1:
            raise TypeError(
                f"X: column names have the types {', '.join(kinds)}. Convert them all to strings: "
                "X.rename(columns=str)."
            )
        names = [str(name) for name in X.columns]
        # pandas stores columns contiguously; kernels need rows, and would copy each block in every pass.
        X = X.astype(_common(X.dtypes)).to_dask_array().map_blocks(_row_by_row)
    require_table(X)
    if hasattr(meta(X), "toarray"):
        # Each block becomes dense when it is computed, because algorithms need dense rows.
        lazy: Any = X
        X = lazy.map_blocks(_dense, dtype=X.dtype, meta=meta(X)[:0, :0].toarray())
    if X.shape[1] == 0:
        raise InvalidData("X: found array with 0 feature(s) (columns) while a minimum of 1 is required.")
    if not _is_number(X.dtype):
        raise InvalidData(f"X: must be numbers, not {X.dtype}.")
    return X.astype(_common([X.dtype])), names


def _dense(block: Any) -> Array:
    return block.toarray()


def _row_by_row(values: Array) -> Array:
    return array_namespace_of(values).ascontiguousarray(values)


def floating_type(data: Data) -> Dtype:
    """Return the floating-point type that an array or data frame has, or gets in a table: float32 or float64."""
    columns: Any = getattr(data, "dtypes", None) if hasattr(data, "columns") else None
    dtypes = [getattr(data, "dtype", np.float64)] if columns is None else list(columns)
    return _common(dtypes) if all(_is_number(dtype) for dtype in dtypes) else np.dtype(np.float64)


def _is_number(dtype: object) -> bool:
    return getattr(dtype, "kind", "O") in "biuf"


def _common(dtypes: Iterable[Any]) -> Dtype:
    """Return the common floating-point type of all columns."""
    # NumPy's types of pandas' extension types and of its sparse columns.
    plain = [np.dtype(getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype))) for dtype in dtypes]
    common = np.result_type(*plain)
    if common == np.float16:
        return np.dtype(np.float32)
    return common if common in (np.float32, np.float64) else np.dtype(np.float64)


def with_lengths(leader: DaskArray, *others: Data | None) -> list[Any]:
    """Return collections with the same rows, with lengths counted where they are needed to align them.

    That is beside data in memory, and where the numbers of blocks differ. With the same number of blocks, blocks of
    unknown lengths are assumed to match.
    """
    parts: list[Any] = [leader, *others]
    in_memory = any(part is not None and not is_dask(part) for part in others)
    differ = len({_n_blocks(part) for part in parts if is_dask(part)}) > 1
    uncounted = [
        number
        for number, part in enumerate(parts)
        if is_dask(part) and _is_uncounted(part) and (differ or (number == 0 and in_memory))
    ]
    arrays = [part if is_dask_array(part) else column_array(part) for part in (parts[number] for number in uncounted)]
    for number, array, lengths in zip(uncounted, arrays, lengths_of(arrays) if arrays else (), strict=True):
        parts[number] = with_chunks(array, (tuple(lengths), *array.chunks[1:]))
    return parts


def lengths_of(collections: Iterable[Data]) -> list[list[int]]:
    """Return the rows of each collection's blocks, counted where unknown; data in memory are one block."""
    lengths: list[Any] = []
    for data in collections:
        if not is_dask(data):
            lengths.append([len(data)])
        elif not _is_uncounted(data):
            lengths.append(list(data.chunks[0]))
        else:
            require_own(current_client(), [data])
            lengths.append([delayed(len)(block) for block in row_blocks(data)])
    counted: tuple[list[int], ...] = computed(*lengths)
    return list(counted)


def row_blocks(data: Any) -> list[Delayed]:
    if not is_dask_array(data):
        return list(data.to_delayed())
    return list(data.rechunk(dict.fromkeys(range(1, data.ndim), -1)).to_delayed().ravel())


def stacked(
    blocks: Iterable[Delayed], lengths: Iterable[float], row_shape: tuple[int, ...] = (), **kind: Any
) -> DaskArray:
    """Return delayed blocks as one Dask array; NaN: unknown rows; ``kind``: ``dtype`` or ``meta`` of blocks."""
    import dask.array as da

    parts = [
        da.from_delayed(block, (length, *row_shape), **kind) for block, length in zip(blocks, lengths, strict=True)
    ]
    return da.concatenate(parts, allow_unknown_chunksizes=True)


def _n_blocks(data: Any) -> int:
    return int(data.numblocks[0] if is_dask_array(data) else data.npartitions)


def _is_uncounted(data: Any) -> bool:
    return not is_dask_array(data) or any(math.isnan(length) for length in data.chunks[0])


def aligned(
    data: Data | None, X: DaskArray, name: str, dimensions: tuple[int, ...], leader: str = "X"
) -> DaskArray | None:
    """Return y or weights of the rows of X as an array with the same chunks of rows.

    ``name`` and ``leader``, the name of X, are for error messages. `with_lengths` must have counted lengths.
    """
    import dask.array as da

    if data is None:
        return None
    if not is_dask(data):
        values = np.asarray(data)
        # Dask cannot estimate the size of objects.
        array = da.from_array(values, chunks=-1 if values.dtype.kind == "O" else "auto", name=False)
    else:
        array = data if is_dask_array(data) else column_array(data)
    refuse_masked(array, name)
    if array.ndim not in dimensions:
        raise InvalidData(f"{name}: must have 1 dimension, not {array.ndim}.")
    known = not math.isnan(X.shape[0]) and not math.isnan(array.shape[0])
    if known and array.shape[0] != X.shape[0]:
        raise InvalidData(f"{name}: has {array.shape[0]:,} rows, but {leader} has {X.shape[0]:,}.")
    array = beside(array, meta(X))
    if known:
        return array.rechunk({0: X.chunks[0], **({1: -1} if array.ndim == 2 else {})})
    return with_chunks(array, (X.chunks[0], *array.chunks[1:])) if math.isnan(array.shape[0]) else array


def beside(array: DaskArray, like: Array) -> DaskArray:
    """Return an array with blocks on GPUs if those of another one are; only numbers leave host memory."""
    if is_of_numpy(like) or on_gpus(array) or not _is_number(array.dtype):
        return array
    empty = array_namespace_of(like).empty((0,) * array.ndim, array.dtype)
    lazy: Any = array
    return lazy.map_blocks(_moved, like, dtype=array.dtype, meta=empty)


def _moved(block: Array, like: Array) -> Array:
    return array_namespace_of(like).asarray(block)


def column_array(data: DaskFrame) -> DaskArray:
    """Return a Dask series or data frame as an array; strings as objects, categories as their values."""
    dtypes = data.dtypes if data.ndim == 2 else [data.dtype]
    if not all(isinstance(dtype, np.dtype) for dtype in dtypes):
        if any(str(dtype) == "category" for dtype in dtypes) and not on_gpus(data):
            lazy: Any = data
            data = lazy.map_partitions(_without_categories, meta=meta(data).astype(object))
        else:
            data = data.astype(_common(dtypes) if all(map(_is_number, dtypes)) else object)
    return data.to_dask_array()


def _without_categories(part: Any) -> Any:
    """Return a pandas series or data frame with NumPy types in all columns."""
    import pandas as pd

    if part.ndim == 2:
        return pd.concat([_without_categories(part.iloc[:, n]) for n in range(part.shape[1])], axis=1)
    if isinstance(part.dtype, np.dtype):
        return part
    values = part.to_numpy(np.float64) if _is_number(part.dtype) else np.asarray(part)
    return pd.Series(values, index=part.index, name=part.name, dtype=values.dtype)
