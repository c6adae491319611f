"""Divide data into parts for training and for testing.

Rows are chosen by their numbers, their class and a seed only, so that the blocks do not matter. Each row draws a random
number; the rows with the smallest draws are for testing, the next ones for training. With stratification, that is done
for each class, in two passes over the labels: one counts the classes, one finds for each class the bound below which
the wanted number of draws are. Only counts and the draws near that bound are sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from dask.delayed import delayed
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ..dask_internals.collections import meta, with_chunks
from .arrays import Array, DaskArray, Data, Delayed, Output, RandomState, array_namespace_of
from .errors import InvalidData, InvalidParameter
from .keywords import takes_client
from .labels import flat_labels, merge_all_classes
from .rows.table import column_array, is_dask, is_dask_array, lengths_of, refuse_masked, row_blocks, stacked
from .rows.waiting import computed, current_client, require_own

__all__ = ["train_test_split"]


STEP_ROWS = 1 << 20  # Rows that are drawn at once.
TRAIN, TEST, REST = 0, 1, 2
SPREAD = 10  # Standard deviations on both sides of an expected bound.


@dataclass(frozen=True)
class Choice:
    """The part of each row."""

    n_rows: int
    n_train: int
    n_test: int
    seed: int | None  # ``None`` takes the first rows for training and the next ones for testing.
    bounds: tuple[int, int] = (0, 0)
    """Rows with draws below the first one are for testing, others below the second one for training."""

    def of_rows(self, start: int, length: int) -> Array:
        """Return `TRAIN`, `TEST` or `REST` for consecutive rows; array of shape (length,)."""
        if self.seed is None:
            rows = np.arange(start, start + length)
            return np.where(rows < self.n_train, TRAIN, np.where(rows < self.n_train + self.n_test, TEST, REST))
        drawn = draws(self.seed, start, length)
        first, second = (np.uint64(bound) for bound in self.bounds)
        return np.where(drawn < first, TEST, np.where(drawn < second, TRAIN, REST))

    def counts(self, chunks: tuple[int, ...]) -> tuple[list[int], list[int]]:
        """Return the numbers of rows of each block for training, and for testing."""
        train, test, start = [], [], 0
        for length in chunks:
            chosen = [
                self.of_rows(start + first, min(STEP_ROWS, length - first)) for first in range(0, length, STEP_ROWS)
            ]
            train.append(sum(int((part == TRAIN).sum()) for part in chosen))
            test.append(sum(int((part == TEST).sum()) for part in chosen))
            start += length
        return train, test


def at_random(n_rows: int, n_train: int, n_test: int, seed: int) -> Choice:
    """Choose exact numbers of rows at random: those with the smallest draws for testing, the next for training."""
    bounds = (bound_of(seed, n_rows, n_test), bound_of(seed, n_rows, n_test + n_train))
    return Choice(n_rows, n_train, n_test, seed, bounds)


def draws(seed: int, start: int, length: int) -> Array:
    """Return the random number of each of some consecutive rows; array of shape (length,), uint64.

    The generator skips the draws of earlier rows, so a row's draw depends on its position only.
    """
    return np.random.PCG64(seed).advance(start).random_raw(length)


def bound_of(seed: int, n_rows: int, count: int) -> int:
    """Return the bound below which exactly ``count`` of the rows' draws are.

    One pass over the draws in steps keeps only those near the expected bound. Two equal draws of 64 bits do not occur
    in practice.
    """
    if count >= n_rows:
        return 2**64 - 1
    low, high = _expected(np.array(count), np.array(n_rows))
    below, near = 0, []
    for start in range(0, n_rows, STEP_ROWS):
        drawn = draws(seed, start, min(STEP_ROWS, n_rows - start))
        below += int((drawn < low).sum())
        near.append(drawn[(drawn >= low) & (drawn <= high)])
    kept = np.sort(np.concatenate(near))
    return int(kept[count - below])


class Window(NamedTuple):
    """Draws of one class near an expected bound, and the number of draws below them."""

    below: int
    near: Array


def stratified(labels: DaskArray, n_train: int, n_test: int, seed: int) -> DaskArray:
    """Return `TRAIN`, `TEST` or `REST` for each row of labels with known chunks; lazily, uint8.

    Refuses a class that is too small, and a part with fewer rows than classes.
    """
    from sklearn.utils.extmath import _approximate_mode

    blocks = list(labels.to_delayed().ravel())
    starts = np.concatenate([[0], np.cumsum(labels.chunks[0])])[:-1].tolist()
    found = computed(*[delayed(_counted)(block) for block in blocks])
    classes = merge_all_classes((part for part, _ in found), "stratify")
    if classes is None:
        raise InvalidData("stratify: has 0 rows while a minimum of 1 is required.")
    counts = np.zeros(len(classes), dtype=np.int64)
    for part, own in found:
        if part is not None:
            counts[np.searchsorted(classes, part)] += own
    _check(classes, counts, n_train, n_test)
    random = np.random.RandomState(seed)
    test = _approximate_mode(counts, n_test, random)
    train = _approximate_mode(counts - test, n_train, random)
    wanted = np.stack([test, test + train])
    low, high = _expected(wanted, counts)
    near = partial(_near, classes=classes, seed=seed, low=low, high=high)
    windows = computed(*[delayed(near)(block, start=start) for block, start in zip(blocks, starts, strict=True)])
    bounds = _bounds(windows, wanted, counts)
    mark = delayed(partial(_marks, classes=classes, seed=seed, bounds=bounds), pure=True)
    marks = [mark(block, start=start) for block, start in zip(blocks, starts, strict=True)]
    return stacked(marks, labels.chunks[0], dtype=np.uint8)


def _counted(block: Any) -> tuple[Array | None, Array]:
    labels = flat_labels(block, "stratify")
    if not len(labels):
        return None, np.zeros(0, dtype=np.int64)
    classes, counts = np.unique(labels, return_counts=True)
    return classes, counts


def _check(classes: Array, counts: Array, n_train: int, n_test: int) -> None:
    if counts.min() < 2:
        raise InvalidData(
            f"The least populated classes in stratify have only 1 member: {classes[counts < 2].tolist()[:10]}. Each "
            "class needs at least 2. Drop such rows, or merge them into another class."
        )
    for name, rows in (("train_size", n_train), ("test_size", n_test)):
        if rows < len(classes):
            raise InvalidParameter(
                f"The {name} = {rows} should be greater or equal to the number of classes = {len(classes)}."
            )


def _expected(wanted: Array, counts: Array) -> tuple[Array, Array]:
    """Return draws between which the bounds are expected: arrays of the shape of ``wanted``, uint64."""
    share = wanted / counts
    width = SPREAD * np.sqrt(share * (1 - share) / counts) + SPREAD / counts
    edges = [np.clip(edge, 0, 1 - 2**-53) * 2.0**64 for edge in (share - width, share + width)]
    return edges[0].astype(np.uint64), edges[1].astype(np.uint64)


def _near(block: Any, start: int, classes: Array, seed: int, low: Array, high: Array) -> list[list[Window]]:
    codes = np.searchsorted(classes, flat_labels(block, "stratify"))
    drawn = draws(seed, start, len(codes))
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(classes) + 1))
    found: list[list[Window]] = []
    for border in range(2):
        row = []
        for code in range(len(classes)):
            own = drawn[order[ends[code] : ends[code + 1]]]
            inside = (own >= low[border, code]) & (own <= high[border, code])
            row.append(Window(int((own < low[border, code]).sum()), own[inside]))
        found.append(row)
    return found


def _bounds(windows: tuple[list[list[Window]], ...], wanted: Array, counts: Array) -> Array:
    """Return the bound below which the wanted number of each class's draws are: array of shape (2, n_classes)."""
    bounds = np.full(wanted.shape, 2**64 - 1, dtype=np.uint64)
    for border, code in np.ndindex(*wanted.shape):
        if wanted[border, code] < counts[code]:
            parts = [part[border][code] for part in windows]
            near = np.sort(np.concatenate([part.near for part in parts]))
            bounds[border, code] = near[wanted[border, code] - sum(part.below for part in parts)]
    return bounds


def _marks(block: Any, start: int, classes: Array, seed: int, bounds: Array) -> Array:
    codes = np.searchsorted(classes, flat_labels(block, "stratify"))
    drawn = draws(seed, start, len(codes))
    return np.where(drawn < bounds[0, codes], TEST, np.where(drawn < bounds[1, codes], TRAIN, REST)).astype(np.uint8)


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
        raise InvalidData(f"Inconsistent numbers of rows: {', '.join(f'{total:,}' for total in totals)}.")
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
        raise InvalidData(f"stratify: must have 1 dimension, not {labels.ndim}.")
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
