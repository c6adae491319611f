"""Divide data into parts for fitting and for testing."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...dask_internals.collections import meta
from ..arrays import Data, Delayed, Output, RandomState, array_namespace_of
from ..clients import takes_client
from ..errors import InvalidData, InvalidParameter, NotSupported
from ..rows.table import is_dask, is_dask_array
from ..rows.waiting import computed
from .choice import TEST, TRAIN, Choice, at_random


@takes_client
def train_test_split(
    *arrays: Data,
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: RandomState = None,
    shuffle: bool = True,
    stratify: ArrayLike | None = None,
) -> list[Output]:
    """Divide Dask collections lazily into rows for training and rows for testing.

    Each row draws a random number that depends on its place among all rows and on ``random_state``; those with the
    smallest numbers are for testing. So the sizes are exact, the same rows are chosen however the data are cut, several
    collections stay aligned even if they are cut differently, and no row moves. Lengths of partitions are counted first
    where they are unknown. Rows keep their order within both parts. cuML has no such function for several GPUs; data on
    GPUs are divided block by block there.

    Parameters
    ----------
    *arrays : Dask arrays, data frames or series; arrays or data frames in memory beside them
        With the same number of rows. If all are in memory, scikit-learn's function is called.
    test_size, train_size : float or int, optional
        Share or number of rows. A quarter is for testing when neither is given.
    random_state : int or RandomState, optional
        The same one gives the same rows.
    shuffle : bool
        Choose at random; else the first rows are for training and the last ones for testing.
    stratify : None
        Not supported for Dask collections.

    Returns
    -------
    list
        For each of ``arrays`` the part for training and that for testing.

    Raises
    ------
    InvalidData
        Nothing is given, or the numbers of rows differ.
    InvalidParameter
        Sizes that cannot be.
    NotSupported
        ``stratify`` is given for Dask collections.
    """
    if not arrays:
        raise InvalidData("At least one array required as input")
    if not all(hasattr(array, "__len__") for array in arrays):
        raise InvalidData("Each argument must be a Dask collection, an array, a data frame or a list.")
    if not any(is_dask(array) for array in arrays):
        from sklearn.model_selection import train_test_split as local

        given = {"test_size": test_size, "train_size": train_size, "random_state": random_state}
        found: list[Any] = local(*arrays, **given, shuffle=shuffle, stratify=stratify)
        return found
    if stratify is not None:
        raise NotSupported(
            "stratify: is not supported for Dask collections. With many rows, random parts have nearly the same shares "
            "of classes anyway."
        )
    lengths = _lengths(arrays)
    totals = [sum(chunks) for chunks in lengths]
    if len(set(totals)) > 1:
        raise InvalidData(f"The numbers of rows differ: {', '.join(f'{total:,}' for total in totals)}.")
    choice = _choice(totals[0], test_size, train_size, random_state, shuffle)
    parts: list[Any] = []
    for array, chunks in zip(arrays, lengths, strict=True):
        train, test = choice.counts(tuple(chunks))
        parts += [_part(array, choice, TRAIN, chunks, train), _part(array, choice, TEST, chunks, test)]
    return parts


def _choice(
    n_rows: int, test_size: float | None, train_size: float | None, random_state: RandomState, shuffle: bool
) -> Choice:
    from sklearn.model_selection._split import _validate_shuffle_split
    from sklearn.utils import check_random_state

    try:
        n_train, n_test = _validate_shuffle_split(n_rows, test_size, train_size, default_test_size=0.25)
    except ValueError as error:
        raise InvalidParameter(str(error)) from None
    if not shuffle:
        return Choice(n_rows, int(n_train), int(n_test), None)
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    return at_random(n_rows, int(n_train), int(n_test), seed)


def _lengths(arrays: tuple[Data, ...]) -> list[list[int]]:
    """Return for each collection the number of rows of its blocks; those in memory are one block."""
    from dask.delayed import delayed

    lengths: list[Any] = []
    for array in arrays:
        if not is_dask(array):
            lengths.append([len(array)])
        elif hasattr(array, "chunks") and not any(math.isnan(length) for length in array.chunks[0]):
            lengths.append(list(array.chunks[0]))
        else:
            lengths.append([delayed(len)(block) for block in _blocks(array)])
    counted: tuple[list[int], ...] = computed(*lengths)
    return list(counted)


def _blocks(array: Any) -> list[Delayed]:
    """Return what makes each block of rows."""
    if not is_dask_array(array):
        return list(array.to_delayed())
    return list(array.rechunk(dict.fromkeys(range(1, array.ndim), -1)).to_delayed().ravel())


def _part(array: Any, choice: Choice, which: int, chunks: list[int], counts: list[int]) -> Output:
    """Return the rows of one part."""
    if not is_dask(array):
        return _rows(array if hasattr(array, "shape") else np.asarray(array), choice, which, 0)
    from dask.delayed import delayed

    take = delayed(_rows, pure=True)
    starts = [0, *accumulate(chunks)][:-1]
    parts = [take(block, choice, which, start) for block, start in zip(_blocks(array), starts, strict=True)]
    if not is_dask_array(array):
        import dask.dataframe as dd

        # Verified, because Dask (2026.8) makes arrays of unverified partitions that cannot be computed.
        return dd.from_delayed(parts, meta=meta(array), divisions=array.divisions, verify_meta=True)
    import dask.array as da

    return da.concatenate(
        [
            da.from_delayed(part, shape=(count, *array.shape[1:]), meta=meta(array))
            for part, count in zip(parts, counts, strict=True)
        ]
    )


def _rows(block: Any, choice: Choice, which: int, start: int) -> Any:
    mask = choice.of_rows(start, len(block)) == which
    return block[
        mask if hasattr(block, "columns") or hasattr(block, "index") else array_namespace_of(block).asarray(mask)
    ]
