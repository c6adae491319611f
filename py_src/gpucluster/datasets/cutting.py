"""Divide rows into blocks."""

from __future__ import annotations

from itertools import pairwise

from .errors import InvalidOption

MOST_BLOCKS = 1_000_000


def even_cuts(n_rows: int, n_blocks: int, name: str) -> list[int]:
    """Return the starts of blocks of nearly the same length, and the end of the last one; ``name`` is the option."""
    whole_number(n_blocks, name, most=min(n_rows, MOST_BLOCKS))
    return [n_rows * number // n_blocks for number in range(n_blocks + 1)]


def lengths(cuts: list[int]) -> tuple[int, ...]:
    return tuple(stop - start for start, stop in pairwise(cuts))


def whole_number(value: object, name: str, *, least: int = 1, most: int) -> int:
    """Return an option's whole number; raises `InvalidOption` for other values, and outside the bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidOption(f"{name}: must be a whole number from {least} to {most:,}, not {value!r}.")
    return value
