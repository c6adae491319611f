"""Measure the import time of a process while a cell is profiled, in tasks and between them."""

import builtins
import threading
from collections.abc import Callable, Collection
from time import perf_counter
from typing import Any

from .tasks import covered_seconds

NOTED_SECONDS = 0.001  # Faster imports found a loaded module.
_MOST = 10_000


class ImportTimes:
    """Measures ``import`` statements until ``stop``; ``task_threads`` returns the threads that run a task now."""

    def __init__(self, task_threads: Callable[[], Collection[int]] = tuple) -> None:
        self._task_threads = task_threads
        self._spans: list[tuple[float, float, bool]] = []
        self._importing = threading.local()
        self._original: Any = builtins.__import__
        self._is_noting = True
        self._mine = self._import
        builtins.__import__ = self._mine

    def _import(self, *args: Any, **kwargs: Any) -> Any:
        importing = self._importing
        if not self._is_noting or getattr(importing, "now", False):
            return self._original(*args, **kwargs)
        importing.now = True
        start = perf_counter()
        try:
            return self._original(*args, **kwargs)
        finally:
            importing.now = False
            stop = perf_counter()
            if stop - start >= NOTED_SECONDS and len(self._spans) < _MOST:
                self._spans.append((start, stop, threading.get_ident() in self._task_threads()))

    def begin(self) -> None:
        self._spans.clear()

    def stop(self) -> None:
        """Restore ``import``; if another program has wrapped it meanwhile, stop measuring."""
        self._is_noting = False
        if builtins.__import__ is self._mine:
            builtins.__import__ = self._original

    def seconds(self) -> float:
        """Return the time in which any thread imported."""
        return covered_seconds((start, stop) for start, stop, _ in self._spans)

    def seconds_between_tasks(self) -> float:
        """Return the time of imports in threads without a task, to deserialize the next one."""
        return covered_seconds((start, stop) for start, stop, in_task in self._spans if not in_task)
