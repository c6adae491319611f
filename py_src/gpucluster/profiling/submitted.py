"""How long a scheduler had tasks that were not over: the rest of the time, nobody had given the workers any.

This module also runs on schedulers, where it is sent by value: it imports nothing but the standard library.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

UNFINISHED = ("processing", "waiting", "queued", "no-worker")


class SubmittedTime:
    """Adds up the time in which at least one task was submitted and not over.

    Parameters
    ----------
    keys : iterable
        Of the tasks that are not over now.
    """

    def __init__(self, keys: Iterable[Any]) -> None:
        self._keys = set(keys)
        self._total = 0.0
        self._since: float | None = None

    def begin(self, now: float) -> None:
        """Take this moment for the beginning."""
        self._total = 0.0
        self._since = now if self._keys else None

    def note(self, key: Any, state: str, now: float) -> None:
        """Note that a task is now in that state."""
        if state in UNFINISHED:
            self._keys.add(key)
            if self._since is None:
                self._since = now
            return
        self._keys.discard(key)
        if not self._keys and self._since is not None:
            self._total += now - self._since
            self._since = None

    def seconds(self, now: float) -> float:
        """Return the time since the beginning in which there were tasks."""
        return self._total + (0.0 if self._since is None else max(0.0, now - self._since))
