"""Buffers with one tag between two ranks: a few at a time are passed to MPI, the others wait here.

Testing requests takes longer the more there are: with all buffers of a message at once, a message of twice as many
would take four times as long, and delay all others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

MOST_AT_ONCE = 16

Start = Callable[[], tuple[Any, Any]]  # Passes a buffer to MPI; returns the request and the buffer.
Follow = Callable[[Any, Any, Callable[[], None]], None]
"""Tests a request, with its buffer, until it completes, and then calls a function; perhaps at once."""


class Lane:
    """Keeps the order of buffers; calls ``empty`` whenever nothing is left."""

    def __init__(self, follow: Follow, empty: Callable[[], object]) -> None:
        self._follow = follow
        self._empty = empty
        self._waiting: deque[tuple[Start, Callable[[], None] | None]] = deque()
        self._with_mpi = 0
        self._is_filling = False

    def add(self, start: Start, end: Callable[[], None] | None = None) -> None:
        """Send or receive a buffer when it is its turn, and call ``end`` when it is done."""
        self._waiting.append((start, end))
        self._fill()

    def _fill(self) -> None:
        if self._is_filling:
            return  # A request completed at once: the loop below continues.
        self._is_filling = True
        try:
            while self._waiting and self._with_mpi < MOST_AT_ONCE:
                start, end = self._waiting.popleft()
                self._with_mpi += 1
                self._follow(*start(), partial(self._done, end))
        finally:
            self._is_filling = False
        if not self._waiting and not self._with_mpi:
            self._empty()

    def _done(self, end: Callable[[], None] | None) -> None:
        self._with_mpi -= 1
        if end is not None:
            end()
        self._fill()
