"""Own time per stage of a project: what did the work really take?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

STAGES = ("understand", "prepare", "analyse")


class StageClock:
    """Add up the seconds that the cells of each stage ran.

    Attributes
    ----------
    seconds : dict
        Stage to seconds, in the order in which they first ran.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of a ``with`` block for a stage, also when it fails."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began

    def shares(self) -> dict[str, float]:
        """Return the share of each stage in all of the time; empty when nothing ran."""
        total = sum(self.seconds.values())
        return {name: seconds / total for name, seconds in self.seconds.items()} if total else {}
