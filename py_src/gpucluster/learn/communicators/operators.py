"""What travels between ranks, and how two messages become one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..arrays import is_of_numpy, to_numpy
from ..errors import InvalidOperator

Message = Any
"""A number, an array (NumPy or CuPy), or a tuple, named tuple or dictionary of these. ``None`` is an empty message."""
Operator = Literal["sum", "min", "max"] | Callable[[Any, Any], Any]
"""Must be associative: in which order the ranks' messages are combined depends on their number."""

_BY_NAME: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda one, other: one + other,
    "min": np.minimum,
    "max": np.maximum,
}


def combine(op: Operator, one: Message, other: Message) -> Message:
    """Return one message made of two.

    Parameters
    ----------
    op : {"sum", "min", "max"} or callable
        Applied to numbers and arrays element by element, and to each part of a tuple or dictionary; a callable is given
        the whole messages.
    one, other : Message
        Of the same structure. ``None`` leaves the other one as it is.

    Raises
    ------
    InvalidOperator
        No such operator.
    """
    if one is None or other is None:
        return other if one is None else one
    if callable(op):
        return op(one, other)
    if isinstance(one, tuple):
        parts = [combine(op, mine, theirs) for mine, theirs in zip(one, other, strict=True)]
        return type(one)(*parts) if hasattr(one, "_fields") else tuple(parts)
    if isinstance(one, dict):
        return {name: combine(op, part, other[name]) for name, part in one.items()}
    if op not in _BY_NAME:
        raise InvalidOperator(f"op: {op!r} is not known. Use 'sum', 'min', 'max' or a function of two messages.")
    return _BY_NAME[op](one, other)


def in_host_memory(message: Message) -> Message:
    """Return a message whose arrays are in this computer's memory: those on a GPU are brought from there."""
    if isinstance(message, tuple):
        parts = [in_host_memory(part) for part in message]
        return type(message)(*parts) if hasattr(message, "_fields") else tuple(parts)
    if isinstance(message, dict):
        return {name: in_host_memory(part) for name, part in message.items()}
    return message if is_of_numpy(message) else to_numpy(message)


def combine_all(op: Operator, *messages: Message) -> Message:
    """Return one message made of some, from left to right; ``None`` of none."""
    result: Message = None
    for message in messages:
        result = combine(op, result, message)
    return result
