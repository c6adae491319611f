"""Pictures of lesson 12: time by size, for links and for allreduce; speeds of links side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from .drawing import in_bytes, when_ready
from .vector import COLOURS, GREY, QUIET, Picture

if TYPE_CHECKING:
    from ..probes.links import Link

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 820.0, 400.0, 76.0, 150.0, 14.0, 58.0

_COLOURS = dict(zip(("tcp", "tls", "gpucluster+unix", "ws", "inproc", "MPI"), COLOURS, strict=True))


class Plane:
    """Two logarithmic axes: bytes to the right, seconds upwards."""

    def __init__(self, words: str, sizes: tuple[float, float], seconds: tuple[float, float]) -> None:
        self.picture = Picture(WIDTH, HEIGHT, words)
        self._x = [math.floor(math.log10(sizes[0])), math.ceil(math.log10(sizes[1]))]
        self._y = [math.floor(math.log10(seconds[0])), math.ceil(math.log10(seconds[1]))]
        for power in range(self._x[0], self._x[1] + 1):
            x = self.x(10.0**power)
            self.picture.line([(x, TOP), (x, HEIGHT - BOTTOM)], GREY, width=0.5, opacity=0.4)
            if (power - self._x[0]) % max(1, (self._x[1] - self._x[0]) // 6) == 0:
                self.picture.text(x, HEIGHT - BOTTOM + 16, in_bytes(10.0**power), anchor="middle")
        for power in range(self._y[0], self._y[1] + 1):
            y = self.y(10.0**power)
            self.picture.line([(LEFT, y), (WIDTH - RIGHT, y)], GREY, width=0.5, opacity=0.4)
            self.picture.text(LEFT - 6, y + 4, in_seconds(10.0**power), anchor="end")
        self.picture.text(WIDTH - RIGHT, HEIGHT - BOTTOM + 36, "size of the message", anchor="end", colour=QUIET)

    def x(self, size: float) -> float:
        """Return where a size is."""
        share = (math.log10(size) - self._x[0]) / (self._x[1] - self._x[0])
        return LEFT + (WIDTH - LEFT - RIGHT) * min(max(share, 0.0), 1.0)

    def y(self, seconds: float) -> float:
        """Return where a time is."""
        share = (math.log10(max(seconds, 1e-12)) - self._y[0]) / (self._y[1] - self._y[0])
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(max(share, 0.0), 1.0))

    def curve(self, function: Callable[[float], float], colour: str, *, dashes: str = "", width: float = 1.8) -> None:
        """Draw the seconds of all sizes."""
        powers = [self._x[0] + (self._x[1] - self._x[0]) * step / 80 for step in range(81)]
        inside = [(10**power, function(10**power)) for power in powers if function(10**power) <= 10.0 ** self._y[1]]
        self.picture.line([(self.x(size), self.y(seconds)) for size, seconds in inside], colour, dashes=dashes,
                          width=width)  # fmt: skip

    def names(self, ends: Sequence[tuple[str, float, str]]) -> None:
        """Write names at the right, at the heights of these seconds, far enough from each other to be read."""
        below = TOP - 4.0
        for name, seconds, colour in sorted(ends, key=lambda end: -end[1]):
            y = max(self.y(seconds) + 4, below + 14)
            self.picture.box(WIDTH - RIGHT + 8, y - 9, 9, 9, colour)
            self.picture.text(WIDTH - RIGHT + 21, y, name)
            below = y


def in_seconds(seconds: float) -> str:
    """Say a time as people read it, such as ``"10 µs"``."""
    for limit, unit in ((1e-6, "ns"), (1e-3, "µs"), (1.0, "ms")):
        if seconds < limit * 0.9995:
            return f"{seconds / limit * 1000:.3g} {unit}"
    for limit, unit in ((86_400 * 2, "days"), (3600 * 2, "h"), (120, "min")):
        if seconds >= limit:
            return f"{seconds / {'days': 86_400, 'h': 3600, 'min': 60}[unit]:.3g} {unit}"
    return f"{seconds:.3g} s"


@when_ready
def links(measured: Mapping[str, Link], fits: Mapping[str, tuple[float, float]] | None = None) -> None:
    """Draw what was measured as dots, and each fitted link as a line.

    Parameters
    ----------
    measured : dict
        By name of the transport.
    fits : dict, optional
        By name: latency in seconds, and bytes per second.
    """
    times = [one for link in measured.values() for one in link.seconds]
    told = "; ".join(
        f"{name}: {in_seconds(link.seconds[0])} for {in_bytes(link.sizes[0])}, "
        f"{in_seconds(link.seconds[-1])} for {in_bytes(link.sizes[-1])}" for name, link in measured.items()
    )  # fmt: skip
    sizes = [size for link in measured.values() for size in link.sizes]
    plane = Plane(
        f"Time of a message by its size, one way. {told}.", (min(sizes), max(sizes)), (min(times), max(times))
    )
    ends = []
    for name, link in measured.items():
        colour = _COLOURS.get(name, GREY)
        if fits and name in fits:
            alpha, beta = fits[name]
            plane.curve(lambda n, a=alpha, b=beta: a + n / b, colour)  # type: ignore[misc]
        for size, seconds in zip(link.sizes, link.seconds, strict=True):
            told = f"{name}, {in_bytes(size)}: {in_seconds(seconds)}"
            plane.picture.dot(plane.x(size), plane.y(seconds), colour, told, radius=4)
        ends.append((name, link.seconds[-1], colour))
    plane.names(ends)
    plane.picture.show()


@when_ready
def allreduce(
    tree: Callable[[int, float, float, float], float], ring: Callable[[int, float, float, float], float],
    p: int, alpha: float, beta: float, crossover: float,
) -> None:  # fmt: skip
    """Draw what a tree and a ring take for all sizes, and where they cross."""
    largest = 1e9
    low, high = (function(p, size, alpha, beta) for function, size in ((tree, 1.0), (tree, largest)))
    where = f"they cross at {in_bytes(crossover)}" if crossover > 0 else "the ring is never slower"
    around = " to ".join(in_seconds(ring(p, size, alpha, beta)) for size in (1.0, largest))
    words = (f"Allreduce over {p} ranks by size: the tree takes {in_seconds(low)} to {in_seconds(high)}, "
             f"the ring {around}; {where}.")  # fmt: skip
    plane = Plane(words, (1.0, largest), (low, high))
    ends = []
    for name, function, colour in (("tree", tree, COLOURS[0]), ("ring", ring, COLOURS[1])):
        plane.curve(lambda n, f=function: f(p, n, alpha, beta), colour, width=2.4)  # type: ignore[misc]
        ends.append((name, function(p, largest, alpha, beta), colour))
    if crossover > 0:
        x, y = plane.x(crossover), plane.y(tree(p, crossover, alpha, beta))
        plane.picture.line([(x, y), (x, HEIGHT - BOTTOM)], dashes="4 4")
        plane.picture.text(x + 6, HEIGHT - BOTTOM - 8, in_bytes(crossover))
    plane.names(ends)
    plane.picture.show()


@when_ready
def speeds(found: Mapping[str, float], n_bytes: float) -> None:
    """Draw the speeds of links as bars on a logarithmic axis, with the time for so many bytes.

    Parameters
    ----------
    found : dict
        By name: bytes per second, one way.
    n_bytes : float
        How many are to be moved.
    """
    ordered = sorted(found.items(), key=lambda item: item[1])
    amount = in_bytes(n_bytes) if n_bytes < 1e12 else f"{n_bytes / 1e12:g} TB"
    told = "; ".join(f"{name}: {speed / 1e9:.4g} GB/s, {in_seconds(n_bytes / speed)}" for name, speed in ordered)
    picture = Picture(WIDTH, 26 * len(ordered) + 34, f"Links, from slow to fast, and the time for {amount}. {told}.")
    low, high = math.log10(ordered[0][1]) - 0.35, math.log10(ordered[-1][1])
    left, right = 196.0, 220.0
    for row, (name, speed) in enumerate(ordered):
        y = 26.0 * row + 6
        length = (WIDTH - left - right) * (math.log10(speed) - low) / (high - low)
        colour = COLOURS[0] if name.startswith("PCIe") else COLOURS[2] if name.startswith("NVLink") else COLOURS[1]
        picture.box(left, y, length, 18, colour, f"{name}: {speed / 1e9:.4g} GB/s")
        picture.text(left - 8, y + 13, name, anchor="end")
        picture.text(left + length + 8, y + 13, f"{speed / 1e9:.4g} GB/s · {in_seconds(n_bytes / speed)}")
    picture.text(
        left,
        26 * len(ordered) + 22,
        f"GB/s in one direction (logarithmic) · time for {amount}",
        colour=QUIET,
    )
    picture.show()
