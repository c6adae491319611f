"""Which rows are chosen depends on their numbers and a seed only, so it is the same however the data are cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array

STEP_ROWS = 1 << 20
"""So many rows are drawn at once."""
TRAIN, TEST = 0, 1


@dataclass(frozen=True)
class Choice:
    """What becomes of each row."""

    n_rows: int
    n_train: int
    n_test: int
    seed: int | None
    """``None`` takes the first rows for training and those behind them for testing."""
    bounds: tuple[int, int] = (0, 0)
    """Rows that draw less than the first one are for testing, others that draw less than the second for training."""

    def of_rows(self, start: int, length: int) -> Array:
        """Return `TRAIN`, `TEST` or something else for some consecutive rows; array of shape (length,)."""
        if self.seed is None:
            rows = np.arange(start, start + length)
            return np.where(rows < self.n_train, TRAIN, np.where(rows < self.n_train + self.n_test, TEST, 2))
        drawn = draws(self.seed, start, length)
        first, second = (np.uint64(bound) for bound in self.bounds)
        return np.where(drawn < first, TEST, np.where(drawn < second, TRAIN, 2))

    def counts(self, chunks: tuple[int, ...]) -> tuple[list[int], list[int]]:
        """Return how many rows of each block are for training, and for testing."""
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
    """Choose exactly so many rows at random: those with the smallest draws are for testing, the next for training."""
    bounds = (bound_of(seed, n_rows, n_test), bound_of(seed, n_rows, n_test + n_train))
    return Choice(n_rows, n_train, n_test, seed, bounds)


def draws(seed: int, start: int, length: int) -> Array:
    """Return the random number of each of some consecutive rows; array of shape (length,), uint64.

    The generator is told to skip what the rows before would draw, so a row's number depends on nothing but its place.
    """
    return np.random.PCG64(seed).advance(start).random_raw(length)


def bound_of(seed: int, n_rows: int, count: int) -> int:
    """Return the bound below which exactly ``count`` of the rows' draws are.

    Takes one pass over the draws in steps: only those near the expected bound are kept, ten standard deviations on both
    sides. Two equal draws of 64 bits do not occur in practice.
    """
    if count >= n_rows:
        return 2**64 - 1
    share, width = count / n_rows, 10 * np.sqrt(count / n_rows * (1 - count / n_rows) / n_rows) + 10 / n_rows
    low, high = (np.uint64(min(max(edge, 0), 1 - 2**-53) * 2**64) for edge in (share - width, share + width))
    below, near = 0, []
    for start in range(0, n_rows, STEP_ROWS):
        drawn = draws(seed, start, min(STEP_ROWS, n_rows - start))
        below += int((drawn < low).sum())
        near.append(drawn[(drawn >= low) & (drawn <= high)])
    kept = np.sort(np.concatenate(near))
    return int(kept[count - below])
