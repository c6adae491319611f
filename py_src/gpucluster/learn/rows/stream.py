"""Rows of a Dask collection, taken block by block by Dask's scheduler: one pass over data of any size."""

from __future__ import annotations

from typing import Any

from ..communicators.operators import Message, Operator, combine
from .block import Block, Partial, Rows
from .table import Table
from .waiting import computed

SPLIT_EVERY = 8
"""So many messages are combined in one task."""
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
        from dask.delayed import delayed

        messages = self._messages(partial, arguments)
        merge = delayed(_merged, pure=False)
        while len(messages) > 1:
            messages = [merge(op, messages[i : i + SPLIT_EVERY]) for i in range(0, len(messages), SPLIT_EVERY)]
        return computed(messages[0])[0] if messages else None

    def each(self, partial: Partial, *arguments: Any) -> list[Message]:
        """Bring all messages to the client."""
        return list(computed(*self._messages(partial, arguments)))

    def counted(self) -> Rows:
        """Count them in a pass over the data, if nobody has yet."""
        return self if self._table.n_rows is not None else Stream(self._table.counted())

    def agreed(self, value: Message) -> Message:
        """Return the value: there is only one process that chooses."""
        return value

    def _messages(self, partial: Partial, arguments: tuple[Any, ...]) -> list[Any]:
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


def _merged(op: Operator, messages: list[Message]) -> Message:
    result = messages[0]
    for message in messages[1:]:
        result = combine(op, result, message)
    return result
