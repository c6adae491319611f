"""How far a measurement is, in one line."""

from __future__ import annotations

import time
from collections.abc import Callable

Say = Callable[[str], None]
_WIDTH = 24
_FULL, _EMPTY = "█", "░"


class ProgressBar:
    """Counts steps and says after each one how many are done, and about how long the rest takes.

    Parameters
    ----------
    total : float
        Steps that there will be, of about the same length.
    say : callable
        Shows a line, in the place of the last one.
    """

    def __init__(self, total: float, say: Say) -> None:
        self._total = max(total, 1.0)
        self._done = 0.0
        self._say = say
        self._started = time.monotonic()

    def step(self, text: str, steps: float = 1.0) -> None:
        """Count steps as done, and say what comes next."""
        self._done = min(self._done + steps, self._total)
        self.show(text)

    def show(self, text: str) -> None:
        """Say what is happening."""
        self._say(f"{bar(self._done / self._total)} {text}{self._left()}")

    def _left(self) -> str:
        elapsed = time.monotonic() - self._started
        if self._done < 1 or elapsed < 5 or self._done >= self._total:
            return ""
        left = elapsed / self._done * (self._total - self._done)
        return f", about {left:.0f} s left" if left < 120 else f", about {left / 60:.0f} min left"


def bar(share: float) -> str:
    """Return a bar that is filled to a share, with the share in percent."""
    full = round(share * _WIDTH)
    return f"{_FULL * full}{_EMPTY * (_WIDTH - full)} {share:4.0%}"
