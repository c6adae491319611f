"""How often jobs were asked for in vain."""

from __future__ import annotations

MOST_TRIES = 6
"""Jobs that fail so often, one after the other, before any worker has come, will do so again."""


class Tries:
    """Counts the times that jobs were asked for and could not start, since a worker last came."""

    def __init__(self) -> None:
        self._before = 0
        self.failed = False
        """Whether those that were asked for last could not."""

    @property
    def count(self) -> int:
        """So many times."""
        return self._before + self.failed

    def again(self) -> None:
        """Note that jobs are asked for."""
        self._before, self.failed = self.count, False
