"""Data that goes through several stages in pieces: when each piece is in which stage.

A simulation: the speeds of the stages are given, nothing is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Stage(NamedTuple):
    """One stage of a way.

    Attributes
    ----------
    name : str
        What moves the data there.
    startup : float
        Seconds that each piece costs, whatever its size.
    speed : float
        Bytes per second.
    """

    name: str
    startup: float
    speed: float


class Passage(NamedTuple):
    """One piece in one stage, from ``start`` to ``stop`` (seconds)."""

    stage: str
    piece: int
    start: float
    stop: float


def staged(n_bytes: int, piece: int, stages: Sequence[Stage]) -> list[Passage]:
    """Send bytes through stages in pieces of this size; the last one may be smaller.

    A stage has one piece at a time, in order. Between the stages there is room for all pieces.
    """
    free = [0.0] * len(stages)
    passages = []
    for number, begin in enumerate(range(0, n_bytes, piece)):
        size = min(piece, n_bytes - begin)
        ready = 0.0
        for place, stage in enumerate(stages):
            start = max(ready, free[place])
            ready = free[place] = start + stage.startup + size / stage.speed
            passages.append(Passage(stage.name, number, start, ready))
    return passages
