"""How much memory a calculation needs at its worst moment."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any


class TracingEnded(RuntimeError):
    """What was measured has switched the measuring off."""


def peak_bytes(function: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """Call a function and return the most memory it held at once, in bytes.

    Counts what Python and NumPy allocate during the call, the result included, the arguments not.
    """
    return measure_peak(function, *args, **kwargs)[1]


def measure_peak(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, int]:
    """Like `peak_bytes`, but return the function's result as well."""
    elsewhere = getattr(type(function), "measure_peak", None)
    if elsewhere is not None:  # the function runs in another process, which has to look for itself
        found: tuple[Any, int] = elsewhere(function, *args, **kwargs)
        return found
    already = tracemalloc.is_tracing()
    if not already:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        result = function(*args, **kwargs)
        if not tracemalloc.is_tracing():
            raise TracingEnded("your code ended tracemalloc, with which its memory is measured here")
        return result, max(0, tracemalloc.get_traced_memory()[1] - before)
    finally:
        if not already:
            tracemalloc.stop()
