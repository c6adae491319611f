"""Rows of a Dask collection, processed block by block by Dask's scheduler: one pass over data of any size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from dask.delayed import delayed
from dask.sizeof import sizeof

from ..arrays import Delayed
from ..communicators.communicator import Message, Operator, combine_all, in_host_memory
from .block import Block, Partial, Rows
from .in_place import is_small, total_in_place
from .table import Table
from .waiting import computed, current_client, require_own, waiting

SPLIT_EVERY = 8  # Messages that are merged in one task.


def tree_reduced(merge: Callable[..., Any], messages: Sequence[Any], *arguments: Any) -> Any:
    """Merge at least one delayed message along a tree, lazily.

    ``merge(*arguments, *messages)`` is associative, and called with neighbouring messages.
    """
    join = delayed(merge, pure=False)
    level = list(messages)
    while len(level) > 1:
        # Each message as a separate argument: Dask would forget persisted blocks in lists.
        level = [join(*arguments, *level[i : i + SPLIT_EVERY]) for i in range(0, len(level), SPLIT_EVERY)]
    return level[0]


LARGE_ARGUMENTS_BYTES = 10_000  # Larger arguments are sent to the workers once, not within each task.


class Stream(Rows):
    """A Dask collection whose blocks are computed, used and released.

    Each ``total`` is one graph: a task per block, and a tree of tasks that combine. Only the result comes to the
    client. Persisted collections are not computed again, and small ones need no graph (`in_place`).
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    @cached_property
    def _blocks(self) -> list[list[Delayed]]:
        return self._table.delayed_blocks()

    @cached_property
    def _is_small(self) -> bool:
        return is_small(self._table)

    def total(self, partial: Partial, *arguments: Any, op: Operator = "sum") -> Message:
        """Combine along a tree on the workers, or without a graph for small tables that the workers keep."""
        client = current_client()
        require_own(client, self._table.collections)
        if client is not None and self._is_small:
            with waiting(client):
                found = total_in_place(client, self._table, partial, arguments, op)
            if found is not None:
                return found[0]
        messages = self._messages(partial, arguments)
        return computed(tree_reduced(combine_all, messages, op))[0] if messages else None

    def map_blocks(self, partial: Partial, *arguments: Any) -> list[Message]:
        """Bring all messages to the client."""
        require_own(current_client(), self._table.collections)
        return list(computed(*self._messages(partial, arguments)))

    def with_starts(self) -> Rows:
        """Count rows in a pass over the data, if necessary."""
        return self if self._table.n_rows is not None else Stream(self._table.with_known_lengths())

    def broadcast(self, value: Message) -> Message:
        """Return the value, because the algorithm runs in one process."""
        return value

    def _messages(self, partial: Partial, arguments: tuple[Any, ...]) -> list[Delayed]:
        given: Any = arguments
        if sum(map(sizeof, arguments)) > LARGE_ARGUMENTS_BYTES:
            given = delayed(arguments, pure=False, traverse=False)
        apply = delayed(_applied, pure=False, traverse=False)
        return [
            apply(partial, given, number, start, *block)
            for number, (start, block) in enumerate(zip(self._table.starts(), self._blocks, strict=True))
        ]


def _applied(partial: Partial, arguments: tuple[Any, ...], number: int, start: int | None, *block: Any) -> Message:
    return in_host_memory(partial(Block(number, start, *block), *arguments))
