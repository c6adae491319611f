"""Pictures of lesson 12: ways through a machine, direct and staged, and pieces on their way through stages."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ..simulations.staging import Stage, staged
from .drawing import in_bytes, when_ready
from .links import in_seconds
from .vector import ACCENT, COLOURS, GREY, QUIET, WARNING, Picture

WIDTH, LEFT, ROW = 820.0, 150.0, 24.0
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
    picture = Picture(WIDTH, 34 + ROW * len(stages) + 30, f"{title}. In one piece: {in_seconds(turns)}.")
    picture.text(LEFT, 16, title, bold=True, size=12)
    longest = max(turns, end)
    scale = (WIDTH - LEFT - 20) / longest
    for row, stage in enumerate(stages):
        y = 28 + ROW * row
        picture.text(LEFT - 8, y + 14, stage.name, anchor="end")
        picture.box(LEFT, y, longest * scale, 18, GREY, opacity=0.12)
        own = [passage for passage in passages if passage.stage == stage.name]
        for passage in own if count <= _DRAWN else ():
            told = f"piece {passage.piece + 1}: {in_seconds(passage.start)} to {in_seconds(passage.stop)}"
            picture.box(LEFT + passage.start * scale, y + 1, max(1.0, (passage.stop - passage.start) * scale - 0.8), 16,
                        COLOURS[passage.piece % 2], told)  # fmt: skip
        if count > _DRAWN:
            start, stop = own[0].start, own[-1].stop
            picture.box(
                LEFT + start * scale, y + 1, (stop - start) * scale, 16, COLOURS[0], f"{count:,} pieces", opacity=0.7
            )
    y = 28 + ROW * len(stages) + 14
    picture.text(LEFT, y, "0", colour=QUIET)
    picture.text(LEFT + longest * scale, y, in_seconds(longest), anchor="end", colour=QUIET)
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
