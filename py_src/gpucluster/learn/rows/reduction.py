"""A tree of tasks on the workers that makes one message of many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

SPLIT_EVERY = 8
"""So many messages are merged in one task."""


def tree_reduced(merge: Callable[..., Any], messages: Sequence[Any], *arguments: Any) -> Any:
    """Return what stands for all messages merged; lazily.

    Parameters
    ----------
    merge : callable
        Called as ``merge(*arguments, *messages)`` with some neighbouring messages; associative.
    messages : sequence of dask.delayed objects
        In the order of the rows; not empty.
    *arguments
        Small.
    """
    from dask.delayed import delayed

    join = delayed(merge, pure=False)
    level = list(messages)
    while len(level) > 1:
        # Each on its own, not in a list: Dask would forget persisted blocks behind them.
        level = [join(*arguments, *level[i : i + SPLIT_EVERY]) for i in range(0, len(level), SPLIT_EVERY)]
    return level[0]
