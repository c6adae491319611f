"""What occurs in the columns of data that need not be numbers: the same answer however the data are cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..communicators.operators import combine
from ..errors import InvalidData, NotSupported
from ..rows.running import local_communicator
from ..rows.table import is_dask
from ..rows.waiting import computed

SPLIT_EVERY = 8
"""What occurs in so many blocks is put together in one task."""


def found_in(data: Any, partial: Callable[[Any], Any], op: Callable[[Any, Any], Any]) -> Any:
    """Apply a function to each block of rows and combine what it returns, in one pass.

    Parameters
    ----------
    data : Dask array, series or data frame, or data in memory
    partial : callable
        Called with an array, or a series or data frame of pandas. ``None`` means nothing.
    op : callable
        Makes one message of two.
    """
    if not is_dask(data):
        return local_communicator().allreduce(partial(data), op)
    from dask.delayed import delayed

    merge = delayed(_merged, pure=False)
    messages = [delayed(partial, pure=False)(block) for block in blocks_of(data)]
    while len(messages) > 1:
        # Each on its own, not in a list: Dask would forget persisted blocks behind them.
        messages = [merge(op, *messages[i : i + SPLIT_EVERY]) for i in range(0, len(messages), SPLIT_EVERY)]
    return computed(messages[0])[0]


def _merged(op: Callable[[Any, Any], Any], *messages: Any) -> Any:
    result = messages[0]
    for message in messages[1:]:
        result = combine(op, result, message)
    return result


def blocks_of(data: Any) -> list[Any]:
    """Return what makes each block of rows of a Dask collection.

    Raises
    ------
    NotSupported
        The blocks are on GPUs.
    """
    if type(data._meta).__module__.partition(".")[0] in {"cudf", "cupy"}:
        raise NotSupported(
            "X: is on GPUs, where encoders need cuML. Install gpucluster[gpu-cu13], or bring the data to the CPU: "
            "X.to_backend('pandas')."
        )
    delayed_blocks = data.to_delayed()
    return list(delayed_blocks.ravel() if hasattr(data, "chunks") else delayed_blocks)


def checked_columns(data: Any) -> None:
    """Refuse Dask arrays that are no tables, or cut along their columns.

    Raises
    ------
    InvalidData
        They are.
    """
    if data.ndim != 2:
        raise InvalidData(
            f"X: 2 dimensions are needed (rows and columns), not {data.ndim}. Make one column with X.reshape(-1, 1) or "
            "X.to_frame()."
        )
    if hasattr(data, "chunks") and data.numblocks[1] > 1:
        raise InvalidData(
            f"X: is cut along its columns too ({data.numblocks[1]} chunks), but each row must be in one chunk. "
            "Use X.rechunk({1: -1})."
        )


def categories_of(block: Any) -> tuple[Any, ...] | None:
    """Return what occurs in each column of a block, sorted, missing values last; ``None`` where there are no rows."""
    if len(block) == 0:
        return None
    from sklearn.preprocessing import OneHotEncoder

    return tuple(OneHotEncoder().fit(block).categories_)


def joined_categories(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return for each column what occurs in one block or the other."""
    found = []
    for mine, theirs in zip(one, other, strict=True):
        both = categories_of(np.concatenate([mine, theirs])[:, None])
        assert both is not None
        found.append(both[0])
    return tuple(found)
