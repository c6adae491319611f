"""Threads in warps: which lanes work and which wait while a warp goes through both sides of an ``if``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LANES = 32
"""Threads of a warp on NVIDIA's GPUs."""


@dataclass(frozen=True)
class WarpRun:
    """What the warps did.

    Attributes
    ----------
    sides : array of str
        ``"a"`` or ``"b"`` for each thread.
    steps_a, steps_b : int
        Instructions on each side.
    """

    sides: NDArray[Any]
    steps_a: int
    steps_b: int
    lanes: int

    @property
    def warps(self) -> list[NDArray[Any]]:
        """The threads of each warp; the last one may have fewer."""
        return [self.sides[begin : begin + self.lanes] for begin in range(0, len(self.sides), self.lanes)]

    def phases(self, warp: NDArray[Any]) -> list[tuple[str, int]]:
        """Return the sides that a warp has to go through, and how many instructions each takes."""
        return [(side, steps) for side, steps in (("a", self.steps_a), ("b", self.steps_b)) if (warp == side).any()]

    @property
    def issued(self) -> int:
        """Instructions that all warps together go through."""
        return sum(steps for warp in self.warps for _, steps in self.phases(warp))

    @property
    def useful(self) -> float:
        """Share of the lanes that work, on average over all instructions."""
        work = int((self.sides == "a").sum()) * self.steps_a + int((self.sides == "b").sum()) * self.steps_b
        return work / (self.issued * self.lanes)


def run_warps(takes_a: Any, steps_a: int, steps_b: int, lanes: int = LANES) -> WarpRun:
    """Let each thread go to side a, where its entry is true, or to side b.

    Simulated: real warps have more ways to save time, such as leaving out a short side, but a warp never goes through
    two sides at once.
    """
    return WarpRun(np.where(np.asarray(takes_a, dtype=bool), "a", "b"), steps_a, steps_b, lanes)
