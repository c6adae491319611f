"""The figures of lesson 12."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...figures.drawing import in_bytes, when_ready
from ...figures.vector import ACCENT, COLOURS, GREY, QUIET, WARNING, Picture
from .tools import Stage, staged

if TYPE_CHECKING:
    from .tools import Link


# Time by size, for links and for allreduce; speeds of links side by side.


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
    where = f"the lines cross at {in_bytes(crossover)}" if crossover > 0 else "the ring is never slower"
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
    """Draw the speeds of links as bars on a logarithmic axis, with the time for a number of bytes.

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


# Ways through a machine, direct and staged, and pieces on their way through stages.


STAGES_WIDTH, STAGES_LEFT, ROW = 820.0, 150.0, 24.0
_DRAWN = 60
"""Pieces that are drawn one by one; of more, only the stages' spans."""


def ways() -> None:
    """Draw how a GPU's data leaves its node: staged in host memory, and directly; the same for a file."""
    picture = Picture(
        820, 330,
        "Four ways. First, GPU to GPU of another node, staged: GPU memory, host memory, network card, network card, "
        "host memory, GPU memory. Second, the same with GPUDirect RDMA: GPU memory, network card, network card, GPU "
        "memory; host memory is left out. Third, a file to a GPU, staged: NVMe drive, host memory, GPU memory. Fourth, "
        "the same with GPUDirect Storage: NVMe drive, GPU memory; it still crosses PCIe.",
    )  # fmt: skip
    rows = (
        ("between nodes, staged",
         ("GPU memory", "host memory", "network card", "network card", "host memory", "GPU memory"),
         ("PCIe", "PCIe", "InfiniBand", "PCIe", "PCIe")),
        ("GPUDirect RDMA", ("GPU memory", "", "network card", "network card", "", "GPU memory"),
         ("PCIe", "", "InfiniBand", "PCIe", "")),
        ("from a drive, staged", ("NVMe drive", "host memory", "GPU memory"), ("PCIe", "PCIe")),
        ("GPUDirect Storage", ("NVMe drive", "", "GPU memory"), ("PCIe", "")),
    )  # fmt: skip
    for number, (title, stations, links) in enumerate(rows):
        y = 44.0 + 80 * number
        picture.text(8, y - 26, title, bold=True, size=12)
        places = [62.0 + 138 * at for at in range(len(stations))]
        seen = [at for at, station in enumerate(stations) if station]
        for at in seen:
            colour = WARNING if stations[at] == "host memory" else ACCENT
            picture.frame(places[at], y, 100, 28, stations[at], colour=colour)
        for first, second in itertools.pairwise(seen):
            picture.arrow((places[first] + 51, y), (places[second] - 51, y))
            narrow = links[first] == "InfiniBand"  # wider than the gap: above the frames
            middle = (places[first] + places[second]) / 2
            picture.text(middle, y - (20 if narrow else 6), links[first], anchor="middle", size=10, colour=QUIET)
    picture.show()


@when_ready
def lanes(n_bytes: int, piece: int, stages: Sequence[Stage]) -> None:
    """Draw when each piece is in which stage."""
    passages = staged(n_bytes, piece, stages)
    end = max(passage.stop for passage in passages)
    count = max(passage.piece for passage in passages) + 1
    turns = sum(stage.startup + n_bytes / stage.speed for stage in stages)
    pieces = "1 piece" if count == 1 else f"{count:,} pieces"
    title = f"{in_bytes(n_bytes)} in {pieces} of {in_bytes(min(piece, n_bytes))}: {in_seconds(end)}"
    picture = Picture(STAGES_WIDTH, 34 + ROW * len(stages) + 30, f"{title}. In one piece: {in_seconds(turns)}.")
    picture.text(STAGES_LEFT, 16, title, bold=True, size=12)
    longest = max(turns, end)
    scale = (STAGES_WIDTH - STAGES_LEFT - 20) / longest
    for row, stage in enumerate(stages):
        y = 28 + ROW * row
        picture.text(STAGES_LEFT - 8, y + 14, stage.name, anchor="end")
        picture.box(STAGES_LEFT, y, longest * scale, 18, GREY, opacity=0.12)
        own = [passage for passage in passages if passage.stage == stage.name]
        for passage in own if count <= _DRAWN else ():
            told = f"piece {passage.piece + 1}: {in_seconds(passage.start)} to {in_seconds(passage.stop)}"
            width = max(1.0, (passage.stop - passage.start) * scale - 0.8)
            picture.box(STAGES_LEFT + passage.start * scale, y + 1, width, 16, COLOURS[passage.piece % 2], told)
        if count > _DRAWN:
            start, stop = own[0].start, own[-1].stop
            width, told = (stop - start) * scale, f"{count:,} pieces"
            picture.box(STAGES_LEFT + start * scale, y + 1, width, 16, COLOURS[0], told, opacity=0.7)
    y = 28 + ROW * len(stages) + 14
    picture.text(STAGES_LEFT, y, "0", colour=QUIET)
    picture.text(STAGES_LEFT + longest * scale, y, in_seconds(longest), anchor="end", colour=QUIET)
    picture.show()


def explore_pieces(n_bytes: int, stages: Sequence[Stage]) -> Any:
    """Show the stages with a slider for the number of pieces; it needs a running kernel."""
    import ipywidgets as widgets  # type: ignore[import-untyped]

    def draw(pieces: int) -> None:
        lanes(n_bytes, -(-n_bytes // pieces), stages)

    slider = widgets.SelectionSlider(
        options=[1, 2, 4, 8, 16, 32, 60, 250, 1000, 4000, 16000], value=8, description="pieces",
        layout=widgets.Layout(width="460px"),
    )  # fmt: skip
    return widgets.VBox([slider, widgets.interactive_output(draw, {"pieces": slider})])
