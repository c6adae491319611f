"""Columns of any type, block by block: finding their categories, and applying encoders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from dask.delayed import delayed

from ...dask_internals.collections import meta
from ..arrays import Array, Collection, Data, Delayed, Dtype, Output, PlainModel, on_gpus
from ..communicators.communicator import Message, Operator, combine_all
from ..errors import NotSupported
from ..rows.running import local_communicator, tree_reduced
from ..rows.table import is_dask, is_dask_array
from ..rows.waiting import computed, current_client, require_own


def reduce_blocks(data: Data, partial: Callable[[Any], Message], op: Operator, name: str = "X") -> Message:
    """Apply a function to each block of rows and combine the results, in one pass.

    ``partial`` is called with an array, or a pandas series or data frame; the result ``None`` is skipped. ``name`` of
    the data is for error messages.
    """
    if not is_dask(data):
        return local_communicator().allreduce(partial(data), op)
    require_own(current_client(), [data])
    messages = [delayed(partial, pure=False)(block) for block in blocks_of(data, name)]
    return computed(tree_reduced(combine_all, messages, op))[0]


def blocks_of(data: Collection, name: str = "X") -> list[Delayed]:
    """Return the delayed blocks of rows of a Dask collection, which must not be on GPUs."""
    if on_gpus(data):
        raise NotSupported(
            f"{name}: is on GPUs, where encoders require cuML. Install gpucluster[gpu-cu13], or copy the data to the "
            f"CPU: {name}.to_backend('pandas')."
        )
    blocks: Any = data
    return list(blocks.to_delayed().ravel() if is_dask_array(data) else blocks.to_delayed())


PLAIN_KINDS = "biufcmM"  # Kinds of types whose missing values scikit-learn's encoders support.


class Categories(NamedTuple):
    """The categories in each column of some rows."""

    values: tuple[Array, ...]  # Of each column, sorted, missing values last.
    counts: tuple[Array, ...] | None  # Number of rows of each category; ``None`` where not counted.
    n_rows: int


def categories_of(block: Any, given: Sequence[Array] | None = None, counted: bool = False) -> Categories | None:
    """Return the categories in each column of a block, only those in ``given`` if any; ``None`` without rows."""
    if len(block) == 0:
        return None
    from sklearn.preprocessing import OneHotEncoder

    encoder = OneHotEncoder() if given is None else OneHotEncoder(categories=list(given), handle_unknown="ignore")
    block = with_plain_gaps(block)
    values = tuple(encoder.fit(block).categories_)
    if not counted:
        return Categories(values, None, len(block))
    counts = np.asarray(encoder.transform(block).sum(axis=0), dtype=np.int64).ravel()
    ends = np.cumsum([len(one) for one in values])
    return Categories(values, tuple(np.split(counts, ends[:-1])), len(block))


def merge_categories(one: Categories, other: Categories) -> Categories:
    """Return the categories of two blocks together."""
    from sklearn.preprocessing import OneHotEncoder

    values, counts = [], []
    for number, pair in enumerate(zip(one.values, other.values, strict=True)):
        column = np.concatenate(pair)[:, None]
        encoder = OneHotEncoder().fit(column)
        values.append(encoder.categories_[0])
        if one.counts is not None and other.counts is not None:
            rows = np.concatenate([one.counts[number], other.counts[number]])
            counts.append(np.asarray(encoder.transform(column).T @ rows, dtype=np.int64))
    return Categories(tuple(values), tuple(counts) if counts else None, one.n_rows + other.n_rows)


def add_counts(one: Categories, other: Categories) -> Categories:
    """Add the counts of the same categories in two blocks."""
    assert one.counts is not None
    assert other.counts is not None
    counts = tuple(mine + theirs for mine, theirs in zip(one.counts, other.counts, strict=True))
    return Categories(one.values, counts, one.n_rows + other.n_rows)


def with_plain_gaps(block: Any, categories: Sequence[Array] | None = None) -> Any:
    """Return a block with NaN, which scikit-learn's encoders support, instead of ``pandas.NA``.

    With the categories of each column, missing values become the missing one of these, NaN or ``None``, if there is
    only one.
    """
    if categories is None or getattr(block, "ndim", 0) != 2 or block.shape[1] != len(categories):
        categories = None
    if not hasattr(block, "columns"):
        if categories is None or block.dtype.kind != "O":
            return without_na(block)
        return np.stack([without_na(block[:, n], one) for n, one in enumerate(categories)], axis=1)
    if all(getattr(dtype, "kind", "O") in PLAIN_KINDS for dtype in block.dtypes):
        return block
    import pandas as pd

    block = block.copy(deep=False)
    for number, dtype in enumerate(block.dtypes):
        if getattr(dtype, "kind", "O") not in PLAIN_KINDS:
            values = without_na(np.asarray(block.iloc[:, number]), None if categories is None else categories[number])
            block.isetitem(number, pd.Series(values, index=block.index, dtype=values.dtype))
    return block


def without_na(values: Any, categories: Array | None = None) -> Any:
    """Return an array with NaN instead of ``pandas.NA``, or with the only missing category, NaN or ``None``."""
    if not hasattr(values, "dtype") or values.dtype.kind != "O":
        return values
    import pandas as pd

    gaps = pd.isna(values)
    known = [] if categories is None or categories.dtype.kind != "O" else categories[pd.isna(categories)]
    if len(known) == 1 and gaps.any():
        values = values.copy()
        values[gaps] = known[0]
    elif gaps.any() and any(value is pd.NA for value in values[gaps]):
        values = values.copy()
        values[gaps] = [np.nan if value is pd.NA else value for value in values[gaps]]
    return values


def example_of(categories: list[Array], names: Array | None) -> Any:
    n_rows = max(len(one) for one in categories)
    columns = [np.resize(one, n_rows) for one in categories]
    if names is not None:
        import pandas as pd

        # With explicit types: pandas would convert objects to strings, and None to NaN.
        return pd.DataFrame(
            {name: pd.Series(column, dtype=column.dtype) for name, column in zip(names, columns, strict=True)}
        )
    if len({column.dtype for column in columns}) > 1:
        columns = [column.astype(object) for column in columns]
    return np.stack(columns, axis=1)


def map_encoder(X: Collection, model: PlainModel, method: str, names: list[str], dtype: Dtype) -> Output:
    """Call a method of scikit-learn's fitted encoder with each block, lazily."""
    lazy: Any = X
    if is_dask_array(X):
        return lazy.map_blocks(
            _block, model, method, dtype, len(names), dtype=dtype, chunks=(X.chunks[0], (len(names),)),
            meta=np.empty((0, len(names)), dtype=dtype),
        )  # fmt: skip
    empty = meta(X).iloc[:0]
    like = type(empty)({name: np.empty(0, dtype=dtype) for name in names}, index=empty.index)
    return lazy.map_partitions(_partition, model, method, dtype, names, meta=like)


def _block(block: Any, model: PlainModel, method: str, dtype: Dtype, width: int) -> Array:
    if len(block) == 0:
        return np.empty((0, width), dtype=dtype)
    # A copy, because scikit-learn's inverse_transform writes into its argument.
    block = with_plain_gaps(block, model.categories_) if method == "transform" else np.array(block)
    return getattr(model, method)(block).astype(dtype, copy=False)


def _partition(frame: Any, model: PlainModel, method: str, dtype: Dtype, names: list[str]) -> Any:
    given = frame if method == "transform" else frame.to_numpy()
    if not hasattr(model, "feature_names_in_"):
        given = frame.to_numpy()
    return type(frame)(_block(given, model, method, dtype, len(names)), index=frame.index, columns=names)
