"""Figures of the lesson on laziness: the learner's task graph and its order, and where results lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...figures.drawing import ACCENT, INK, WARNING, new_axes, show

_WORKER_COLOURS = (ACCENT, WARNING, "#2e7d4f", "#7b4fa3", "#8a6d1f", "#5f6368")


def task_graph(graph: dict[str, Sequence[str]], order: Sequence[str] | None = None) -> None:
    """Draw each task as a box and an arrow from what it needs; with an order, the number of each task in it."""
    levels = _levels(graph)
    if levels is None:
        print("This graph has a cycle, or refers to a missing task. It cannot be drawn.")
        return
    columns: dict[int, list[str]] = {}
    for task, level in levels.items():
        columns.setdefault(level, []).append(task)
    tallest = max(len(column) for column in columns.values())
    figure, axes = new_axes(2.3 * len(columns) + 0.6, 0.75 * tallest + 0.5)
    places = {
        task: (2.3 * level, (len(column) - 1) / 2 - index)
        for level, column in columns.items()
        for index, task in enumerate(column)
    }
    numbers = {task: place + 1 for place, task in enumerate(order or ())}
    axes.set(xlim=(-1.1, 2.3 * (len(columns) - 1) + 1.1), ylim=(-tallest / 2, tallest / 2))
    axes.set_axis_off()
    boxes = {}
    for task, (x, y) in places.items():
        text = f"{numbers[task]}. {task}" if task in numbers else task
        drawn = axes.text(x, y, text, ha="center", va="center", fontsize=9.5, color="white",
                          bbox={"boxstyle": "round,pad=0.45", "facecolor": ACCENT, "edgecolor": "none"})  # fmt: skip
        boxes[task] = drawn.get_bbox_patch()
    figure.canvas.draw()  # only now the boxes have their size, at whose edges the arrows begin and end
    for task, needs in graph.items():
        for need in needs:
            axes.annotate("", places[task], places[need], arrowprops={
                "arrowstyle": "->", "color": INK, "linewidth": 1.2, "patchA": boxes[need], "patchB": boxes[task],
                "shrinkA": 2, "shrinkB": 2,
            })  # fmt: skip
    show(figure)


def _levels(graph: dict[str, Sequence[str]]) -> dict[str, int] | None:
    """Return how many steps each task is away from the beginning; nothing if there is a circle."""
    levels: dict[str, int] = {}
    while len(levels) < len(graph):
        ready = [task for task in graph if task not in levels and all(need in levels for need in graph[task])]
        if not ready:
            return None
        for task in ready:
            levels[task] = 1 + max((levels[need] for need in graph[task]), default=-1)
    return levels


def placement(runs: Sequence[Sequence[str]], names: Sequence[str] = ("first run", "second run")) -> None:
    """Draw for each run which worker held which piece."""
    workers = sorted({place for run in runs for place in run if place})
    colours: dict[str, Any] = {name: _WORKER_COLOURS[i % len(_WORKER_COLOURS)] for i, name in enumerate(workers)}
    figure, axes = new_axes(0.55 * max(len(run) for run in runs) + 2.6, 0.55 * len(runs) + 0.9)
    for row, run in enumerate(runs):
        for column, place in enumerate(run):
            axes.barh(row, 0.92, left=column + 0.04, height=0.8, color=colours.get(place, "#dddddd"))
            axes.text(column + 0.5, row, place.removeprefix("worker "), ha="center", va="center", color="white")
    axes.set_yticks(range(len(runs)), list(names)[: len(runs)])
    axes.set_xticks([column + 0.5 for column in range(len(runs[0]))], range(len(runs[0])))
    axes.set(xlabel="piece (the number inside is its worker)", ylim=(len(runs) - 0.5, -0.5))
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    show(figure)
