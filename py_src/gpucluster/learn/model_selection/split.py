"""Divide data into parts for training and for testing."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
from dask.delayed import delayed
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ...dask_internals.collections import meta, with_chunks
from ..arrays import Array, DaskArray, Data, Delayed, Output, RandomState, array_namespace_of
from ..errors import InvalidData, InvalidParameter
from ..keywords import takes_client
from ..rows.table import column_array, is_dask, is_dask_array, lengths_of, refuse_masked, row_blocks, stacked
from ..rows.waiting import computed, current_client, require_own
from .choice import TEST, TRAIN, Choice, at_random, stratified


@takes_client
def train_test_split(
    *arrays: Data,
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: RandomState = None,
    shuffle: bool = True,
    stratify: Data | ArrayLike | None = None,
) -> list[Output]:
    """Divide Dask collections lazily into rows for training and rows for testing.

    Each row draws a random number that depends on its position among all rows and on ``random_state``; those with the
    smallest numbers are for testing. So the sizes are exact, the choice does not depend on the blocks, several
    collections stay aligned even with different blocks, and no row moves. Unknown lengths of partitions are counted
    first. Rows keep their order within both parts. cuML has no such function for several GPUs; here data on GPUs are
    divided block by block on the GPUs.

    Parameters
    ----------
    *arrays : Dask arrays, data frames or series; arrays or data frames in memory beside them
        With the same number of rows. If all are in memory, scikit-learn's function is called.
    test_size, train_size : float or int, optional
        Fraction or number of rows. By default a quarter is for testing.
    random_state : int or RandomState, optional
        The same one gives the same rows.
    shuffle : bool
        Choose at random; otherwise the first rows are for training and the last ones for testing.
    stratify : Dask array or series, or array, of shape (n_rows,), optional
        Labels that are distributed alike in both parts, to within one row. Takes two passes over the labels.

    Returns
    -------
    list
        For each of ``arrays`` the part for training and that for testing.

    Raises
    ------
    InvalidData
        There is no array, the numbers of rows differ, a Dask array is masked, or the data are on another cluster.
    InvalidParameter
        The sizes are impossible.
    """
    if not arrays:
        raise InvalidData("At least one array required as input")
    if not all(hasattr(array, "__len__") for array in arrays):
        raise InvalidData("Each argument must be a Dask collection, an array, a data frame or a list.")
    if not any(is_dask(array) for array in arrays):
        from sklearn.model_selection import train_test_split as local

        options = {"test_size": test_size, "train_size": train_size, "random_state": random_state}
        return local(*arrays, **options, shuffle=shuffle, stratify=stratify)
    if stratify is not None and not shuffle:
        raise InvalidParameter("Stratified train/test split is not implemented for shuffle=False.")
    for number, array in enumerate(arrays):
        refuse_masked(array, f"arrays[{number}]")
    require_own(current_client(), filter(is_dask, (*arrays, stratify)))
    given = (*arrays, *([] if stratify is None else [stratify if is_dask(stratify) else np.asarray(stratify)]))
    lengths = lengths_of(given)
    totals = [sum(chunks) for chunks in lengths]
    if len(set(totals)) > 1:
        raise InvalidData(f"The numbers of rows differ: {', '.join(f'{total:,}' for total in totals)}.")
    n_train, n_test = _sizes(totals[0], test_size, train_size)
    if not shuffle:
        mark = _Marks(Choice(totals[0], n_train, n_test, None))
    else:
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
        mark = _Marks(
            at_random(totals[0], n_train, n_test, seed)
            if stratify is None
            else stratified(_labels(given[-1], lengths[-1]), n_train, n_test, seed)
        )
    parts: list[Any] = []
    for array, chunks in zip(arrays, lengths, strict=False):
        parts += mark.parts(array, chunks)
    return parts


def _labels(stratify: Any, chunks: list[int]) -> DaskArray:
    import dask.array as da

    if not is_dask(stratify):
        return da.from_array(stratify, chunks=len(stratify) or 1, name=False)
    labels = stratify if is_dask_array(stratify) else column_array(stratify)
    refuse_masked(labels, "stratify")
    if labels.ndim != 1:
        raise InvalidData(f"stratify: 1 dimension is needed, not {labels.ndim}.")
    return with_chunks(labels, (tuple(chunks),))


def _sizes(n_rows: int, test_size: float | None, train_size: float | None) -> tuple[int, int]:
    from sklearn.model_selection._split import _validate_shuffle_split

    try:
        n_train, n_test = _validate_shuffle_split(n_rows, test_size, train_size, default_test_size=0.25)
    except ValueError as error:
        raise InvalidParameter(str(error)) from None
    return int(n_train), int(n_test)


class _Marks:
    """The part of each row: by its number, or with stratification by an array of marks."""

    def __init__(self, by: Choice | DaskArray) -> None:
        self._by = by

    def parts(self, array: Any, chunks: list[int]) -> list[Output]:
        if not is_dask(array):
            array = array if hasattr(array, "shape") else np.asarray(array)
            [marks] = computed(*self._marks([len(array)]))
            return [_rows(array, marks, which) for which in (TRAIN, TEST)]
        marks = self._marks(chunks)
        take = delayed(_rows, pure=True)
        blocks = row_blocks(array)
        counts = self._counts(chunks)
        found = []
        for number, which in enumerate((TRAIN, TEST)):
            parts = [take(block, mark, which) for block, mark in zip(blocks, marks, strict=True)]
            found.append(_joined(array, parts, counts[number]))
        return found

    def _marks(self, chunks: list[int]) -> list[Delayed]:
        """Return the lazy marks of blocks of these lengths."""
        if isinstance(self._by, Choice):
            of_rows = delayed(self._by.of_rows, pure=True)
            starts = [0, *accumulate(chunks)][:-1]
            return [of_rows(start, length) for start, length in zip(starts, chunks, strict=True)]
        return list(self._by.rechunk((tuple(chunks),)).to_delayed().ravel())

    def _counts(self, chunks: list[int]) -> tuple[list[int], list[int]]:
        """Return the numbers of rows of each block for training, and for testing."""
        if isinstance(self._by, Choice):
            return self._by.counts(tuple(chunks))
        count = delayed(_count, pure=True)
        counted = computed(*[count(mark) for mark in self._marks(chunks)])
        return [train for train, _ in counted], [test for _, test in counted]


def _count(marks: Array) -> tuple[int, int]:
    return int((marks == TRAIN).sum()), int((marks == TEST).sum())


def _joined(array: Any, parts: list[Delayed], counts: list[int]) -> Output:
    if not is_dask_array(array):
        import dask.dataframe as dd

        # Dask (2026.8) makes arrays that cannot be computed of unverified partitions.
        return dd.from_delayed(parts, meta=meta(array), divisions=array.divisions, verify_meta=True)
    return stacked(parts, counts, array.shape[1:], meta=meta(array))


def _rows(block: Any, marks: Array, which: int) -> Any:
    mask = marks == which
    return block[
        mask if hasattr(block, "columns") or hasattr(block, "index") else array_namespace_of(block).asarray(mask)
    ]
