"""The five bottlenecks of the notes, each as counters over one minute, made by a simulation from stated ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GIB = 2**30


@dataclass(frozen=True)
class Trace:
    """What the monitors of one job showed, one figure per second, in percent.

    Attributes
    ----------
    kernels : numpy.ndarray
        Share of the second in which a kernel ran (``sm`` of ``dmon``).
    copies : numpy.ndarray
        Share of the second in which data was copied between host and device.
    host : numpy.ndarray
        How busy the core was that loads the data.
    occupancy : numpy.ndarray
        Warps that were resident while a kernel ran, as a share of the most that fit.
    failed : bool
        Whether the job ended with "out of memory".
    free_bytes, largest_bytes, asked_bytes : int
        Memory of the device at the end: free, in the largest piece, and what was asked for last.
    """

    kernels: NDArray[np.float64]
    copies: NDArray[np.float64]
    host: NDArray[np.float64]
    occupancy: NDArray[np.float64]
    failed: bool
    free_bytes: int
    largest_bytes: int
    asked_bytes: int


RANGES: dict[str, tuple[tuple[float, float], ...]] = {
    # mean of:       kernels   copies   host      occupancy
    "waiting": ((12, 42), (2, 20), (4, 60), (35, 90)),
    "loading": ((12, 42), (2, 20), (88, 99), (35, 90)),
    "copying": ((15, 45), (46, 80), (5, 99), (35, 90)),
    "small kernels": ((60, 97), (2, 25), (5, 70), (4, 22)),
    "healthy": ((60, 97), (2, 25), (5, 70), (35, 90)),
}
"""In which range the mean of each figure lies; single seconds may be near 0 or 100."""
WORDS = ("fragmented", *RANGES)


def simulated(kind: str, rng: np.random.Generator, seconds: int = 60) -> Trace:
    """Return a trace of that kind."""
    fragmented = kind == "fragmented"
    base = str(rng.choice(list(RANGES))) if fragmented else kind
    kernels, copies, host, occupancy = (_figure(rng.uniform(*limits), rng, seconds) for limits in RANGES[base])
    free = int(rng.integers(4 * GIB, 30 * GIB))
    if fragmented:
        asked = int(free * rng.uniform(0.2, 0.95))
        largest = int(asked * rng.uniform(0.05, 0.9))
    else:
        largest = int(free * rng.uniform(0.5, 1.0))
        asked = int(largest * rng.uniform(0.01, 0.9))
    return Trace(kernels, copies, host, occupancy, fragmented, free, largest, asked)


def really_full(kind: str, rng: np.random.Generator) -> Trace:
    """Return a trace of that kind whose job asked for more than was free: out of memory, but not fragmented."""
    before = simulated(kind, rng)
    asked = int(before.free_bytes * rng.uniform(1.05, 3.0))
    return Trace(before.kernels, before.copies, before.host, before.occupancy, True, before.free_bytes,
                 before.largest_bytes, asked)  # fmt: skip


def _figure(mean: float, rng: np.random.Generator, seconds: int) -> NDArray[np.float64]:
    """Return percentages that go up and down around a mean, and have just that mean."""
    room = 0.9 * min(mean, 100 - mean)
    waves = np.sin(np.arange(seconds) * rng.uniform(0.3, 1.2)) + rng.normal(0, 0.4, seconds)
    waves -= waves.mean()
    figure: NDArray[np.float64] = mean + room * waves / max(np.abs(waves).max(), 1e-9)
    return figure


def mystery_traces() -> dict[str, Trace]:
    """Return the five of the lesson, A to E."""
    rng = np.random.default_rng(13)
    order = ("loading", "fragmented", "small kernels", "waiting", "copying")
    return {letter: simulated(kind, rng) for letter, kind in zip("ABCDE", order, strict=True)}
