"""When each sample of a recording is shown. ``player/timeline.ts`` does the same in browsers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..protocol.errors import InvalidRequest
from ..protocol.telemetry import TelemetrySample
from .soundness import moment

SLOWEST, FASTEST = 0.25, 64
"""How many times as fast as it was."""
LONGEST_GAP_SECONDS = 10.0
"""A cluster that was silent for longer is played as if it had been silent for so long."""


def playing_speed(speed: Any, name: str = "speed") -> float:
    """Return how fast to play; ``name`` is what the one who asks calls it.

    Raises
    ------
    InvalidRequest
        When it is no number between the slowest and the fastest.
    """
    if not isinstance(speed, (int, float)) or isinstance(speed, bool) or not SLOWEST <= speed <= FASTEST:
        raise InvalidRequest(f"{name}: must be a number from {SLOWEST} to {FASTEST}, not {str(speed)[:40]!r}.")
    return float(speed)


def times_of(samples: Sequence[TelemetrySample]) -> list[float]:
    """Return the seconds from the first sample to each one."""
    moments = [moment(sample.at) for sample in samples]
    times = [0.0]
    for before, after in pairwise(moments):
        times.append(times[-1] + min(max(0.0, after - before), LONGEST_GAP_SECONDS))
    return times


def position_text(seconds: float) -> str:
    """Return a position for people, such as ``1:05``."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02}"
