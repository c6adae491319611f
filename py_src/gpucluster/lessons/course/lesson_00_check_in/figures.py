"""Figure of the check-in: the processes of the learner's own cluster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ...figures.drawing import ACCENT, INK, WARNING, in_bytes, new_axes, show
from .probes import ProcessNode

_COLOURS = {"notebook": WARNING, "scheduler": ACCENT, "starter": "#5f6368"}
_WIDTH, _HEIGHT = 1.5, 0.56


def process_tree(nodes: Sequence[ProcessNode]) -> None:
    """Draw each process as a box, and an arrow to each process that it has started."""
    parents = {node.pid: node.parent for node in nodes}
    levels: dict[int, list[ProcessNode]] = defaultdict(list)
    for node in nodes:
        levels[_depth(node.pid, parents)].append(node)
    widest = max(len(level) for level in levels.values())
    figure, axes = new_axes(max(6.0, 1.75 * widest), 1.1 * len(levels) + 0.4)
    places = {}
    for depth, level in levels.items():
        for index, node in enumerate(level):
            places[node.pid] = (index - (len(level) - 1) / 2) * 1.8, -depth
    for node in nodes:
        x, y = places[node.pid]
        if node.parent is not None:
            start = places[node.parent]
            axes.annotate(
                "", (x, y + _HEIGHT / 2), (start[0], start[1] - _HEIGHT / 2),
                arrowprops={"arrowstyle": "->", "color": INK, "linewidth": 1.2},
            )  # fmt: skip
        axes.text(
            x, y, f"{node.role}\npid {node.pid} · {in_bytes(node.memory_bytes)}", ha="center", va="center", fontsize=9,
            color="white", linespacing=1.4,
            bbox={"boxstyle": "round,pad=0.5", "facecolor": _COLOURS.get(node.role, "#2e7d4f"), "edgecolor": "none"},
        )  # fmt: skip
    side = max(abs(x) for x, _ in places.values()) + _WIDTH * 0.7
    axes.set(xlim=(-side, side), ylim=(-len(levels) + 0.45, 0.55))
    axes.set_axis_off()
    show(figure)


def _depth(pid: int, parents: dict[int, int | None]) -> int:
    parent = parents.get(pid)
    return 0 if parent is None else 1 + _depth(parent, parents)
