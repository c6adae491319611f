"""Rows of a Dask collection, taken block by block by Dask's scheduler: one pass over data of any size."""

from __future__ import annotations

from typing import Any

from ..arrays import Delayed
from ..communicators.operators import Message, Operator, combine_all
from .block import Block, Partial, Rows
from .reduction import tree_reduced
from .table import Table
from .waiting import computed

LARGE_ARGUMENTS_BYTES = 10_000
"""Larger arguments are sent to the workers once, not within each task."""


class Stream(Rows):
    """A Dask collection whose blocks are computed, used and let go again.

    Each ``total`` is one graph: a task per block, and a tree of tasks that combine. Only the result comes to the
    client. Where the collection is persisted, nothing is computed twice.

    Parameters
    ----------
    table : Table
        On Dask.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._blocks = table.delayed_blocks()
        self._starts = table.starts()

    def total(self, partial: Partial, *arguments: Any, op: Operator = "sum") -> Message:
        """Combine along a tree on the workers."""
        messages = self._messages(partial, arguments)
        return computed(tree_reduced(combine_all, messages, op))[0] if messages else None

    def map_blocks(self, partial: Partial, *arguments: Any) -> list[Message]:
        """Bring all messages to the client."""
        return list(computed(*self._messages(partial, arguments)))

    def with_starts(self) -> Rows:
        """Count them in a pass over the data, if nobody has yet."""
        return self if self._table.n_rows is not None else Stream(self._table.with_known_lengths())

    def broadcast(self, value: Message) -> Message:
        """Return the value: there is only one process that chooses."""
        return value

    def _messages(self, partial: Partial, arguments: tuple[Any, ...]) -> list[Delayed]:
        from dask.delayed import delayed
        from dask.sizeof import sizeof

        given: Any = arguments
        if sum(map(sizeof, arguments)) > LARGE_ARGUMENTS_BYTES:
            given = delayed(arguments, pure=False, traverse=False)
        apply = delayed(_applied, pure=False, traverse=False)
        return [
            apply(partial, given, number, start, *block)
            for number, (start, block) in enumerate(zip(self._starts, self._blocks, strict=True))
        ]


def _applied(partial: Partial, arguments: tuple[Any, ...], number: int, start: int | None, *block: Any) -> Message:
    return partial(Block(number, start, *block), *arguments)
