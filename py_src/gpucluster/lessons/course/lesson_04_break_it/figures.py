"""Figures of the lesson about failure: which tasks were recomputed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...figures.drawing import ACCENT, INK, QUIET, WARNING, new_axes, show, when_ready

_COLOURS = (ACCENT, "#7fa650", "#8a6fb0", "#b08b2e")


def layers(graph: Mapping[str, Collection[str]]) -> dict[str, int]:
    """Return the layer of each key: 0 if it needs nothing, else one more than the highest of what it needs."""
    found: dict[str, int] = {}

    def layer(key: str) -> int:
        if key not in found:
            found[key] = 1 + max((layer(needed) for needed in graph[key]), default=-1)
        return found[key]

    for key in graph:
        layer(key)
    return found


@when_ready
def recomputed(
    graph: Mapping[str, Collection[str]], places: Mapping[str, str], again: Collection[str], lost: str
) -> None:
    """Draw the graph: colour is the worker that held the result, a thick ring means computed again.

    Parameters
    ----------
    graph : dict
        What each key needs.
    places : dict
        Worker that held each result before the crash; keys that no worker held are drawn hollow.
    again : collection of str
        Keys that were computed once more.
    lost : str
        Worker that crashed.
    """
    level = layers(graph)
    columns = {number: [key for key in graph if level[key] == number] for number in sorted(set(level.values()))}
    height = max(len(keys) for keys in columns.values())
    spot = {
        key: (number * 2.2, (row + 0.5) * height / len(keys))
        for number, keys in columns.items()
        for row, key in enumerate(keys)
    }
    workers = sorted({*places.values(), lost})
    figure, axes = new_axes(2.6 + 2.2 * len(columns), max(2.6, 0.42 * height + 0.9))
    for key, needed in graph.items():
        for one in needed:
            axes.plot(*zip(spot[one], spot[key], strict=True), color="#cccccc", linewidth=0.9, zorder=1)
    for key, (x, y) in spot.items():
        colour = _COLOURS[workers.index(places[key]) % 4] if key in places else "white"
        twice = key in again
        axes.scatter(x, y, s=150, color=colour, edgecolor=WARNING if twice else QUIET, linewidth=3 if twice else 0.8,
                     zorder=2)  # fmt: skip
        axes.annotate(key + (" ↻" if twice else ""), (x, y), xytext=(9, 0), textcoords="offset points", va="center",
                      fontsize=8, color=WARNING if twice else INK, zorder=3,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})  # fmt: skip
    axes.set(xlim=(-0.4, 2.2 * len(columns) - 0.9), ylim=(height + 0.2, -0.2))
    axes.set_title(f"{len(again)} of {len(graph)} tasks were recomputed", fontsize=10, loc="left")
    axes.set_axis_off()
    figure.legend(handles=_legend(workers, lost), ncols=2, frameon=False, fontsize=8, loc="outside lower center")
    show(figure)


def _legend(workers: list[str], lost: str) -> list[Any]:
    from matplotlib.lines import Line2D

    def dot(colour: str, edge: str, width: float, words: str) -> Any:
        return Line2D([], [], linestyle="", marker="o", markersize=9, markerfacecolor=colour, markeredgecolor=edge,
                      markeredgewidth=width, label=words)  # fmt: skip

    held = [
        dot(_COLOURS[number % 4], QUIET, 0.8, f"held by worker {number}{' (crashed)' if worker == lost else ''}")
        for number, worker in enumerate(workers)
    ]
    return [*held, dot("white", QUIET, 0.8, "no longer held by any worker"), dot("white", WARNING, 3, "computed again")]
