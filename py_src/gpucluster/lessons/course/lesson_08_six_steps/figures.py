"""Figures of the workflow lesson, drawn from the learner's own results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...figures.drawing import ACCENT, INK, QUIET, WARNING, in_bytes, new_axes, show, when_ready
from ...material.pictures import ATTRIBUTION

_CROWDS = (
    "#1f77b4", "#2ca02c", "#d62728", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#bcbd22",
    "#0b3d66", "#7a1f1f", "#145214", "#c49c00", "#5b2a86",
)  # fmt: skip
"""Colours of clusters. None is grey: that is what belongs to no cluster."""

LAYERS = {
    "notebook": "your notebook: a client",
    "estimators": "estimators with scikit-learn's names: gpucluster.learn, cuml.dask",
    "collections": "collections: Dask data frames (pandas or cuDF), Dask arrays (NumPy or CuPy)",
    "tasks": "tasks: Dask's scheduler, and one worker per device",
    "collectives": "collectives: allreduce among workers (our tree of messages, or NCCL through RAFT)",
    "links": "links: TCP with TLS, or UCX (NVLink, InfiniBand)",
}


@when_ready
def stack(pipeline: dict[str, Any]) -> None:
    """Draw the layers of the software, with the steps of a pipeline on them."""
    unknown = [layer for layer in pipeline.values() if layer not in LAYERS and layer not in (None, ...)]
    if unknown:
        print(f"There is no layer {unknown[0]!r}. The layers are {', '.join(LAYERS)}.")
        return
    placed = {step: layer for step, layer in pipeline.items() if layer in LAYERS}
    figure, axes = new_axes(9.5, 3.6)
    names = list(LAYERS)
    for height, name in enumerate(reversed(names)):
        axes.barh(height, 10, height=0.86, color=ACCENT, alpha=0.10 + 0.05 * (height % 2))
        axes.text(0.12, height + 0.2, LAYERS[name], va="center", fontsize=9, color=INK)
    left = dict.fromkeys(names, 0.12)
    for number, (step, layer) in enumerate(placed.items(), 1):
        height = len(names) - 1 - names.index(layer)
        text = f"{number}. {step}"
        axes.text(
            left[layer], height - 0.2, text, va="center", fontsize=8.5, color="white",
            bbox={"boxstyle": "round,pad=0.25", "facecolor": ACCENT, "edgecolor": "none"},
        )  # fmt: skip
        left[layer] += 0.45 + 0.115 * len(text)
    axes.set(xlim=(0, 10), yticks=[], xticks=[])
    axes.spines[:].set_visible(False)
    axes.set_title(f"{len(placed)} of your {len(pipeline)} steps, on the layers that do them", fontsize=10)
    show(figure)


def fit_trace(tasks: Sequence[dict[str, Any]], messages: Sequence[Any]) -> None:
    """Draw what each worker did during one fit, and every message between workers; then one iteration of it."""
    computed = [
        (task["worker"], _word(task["key"]), span["start"], span["stop"])
        for task in tasks
        for span in task["startstops"]
        if span["action"] == "compute"
    ]
    if not computed:
        print("There is nothing to draw: no task ran while the cell looked.")
        return
    begin = min(start for _, _, start, _ in computed)
    workers = sorted({worker for worker, *_ in computed})
    lanes = {worker: len(workers) - 1 - number for number, worker in enumerate(workers)}
    figure, axes = new_axes(10.5, 1.5 + 0.75 * len(workers), ncols=2)
    colours = dict(zip(sorted({word for _, word, *_ in computed}), (ACCENT, QUIET, "#6a9f58", "#b279a2"), strict=False))
    middle = _middle(messages)
    for one, sent in zip(axes, (messages, middle), strict=True):
        for worker, word, start, stop in computed:
            one.barh(
                lanes[worker], (stop - start) * 1000, left=(start - begin) * 1000, height=0.42,
                color=colours.get(word, QUIET), alpha=0.35, label=word,
            )  # fmt: skip
        for message in sent:
            if message.source in lanes and message.target in lanes:
                at = (message.seconds - begin) * 1000
                one.annotate(
                    "", (at, lanes[message.target]), xytext=(at, lanes[message.source]),
                    arrowprops={"arrowstyle": "->", "color": WARNING, "linewidth": 1.1, "shrinkA": 0, "shrinkB": 0},
                )  # fmt: skip
        one.set_yticks(list(lanes.values()), [f"worker {number}" for number in range(len(workers))])
        one.set(xlabel="milliseconds", ylim=(-0.6, len(workers) - 0.4))
    found = dict(zip(*reversed(axes[0].get_legend_handles_labels()), strict=True))
    axes[0].legend(found.values(), found.keys(), frameon=False, fontsize=8, loc="upper left", ncols=2)
    axes[0].set_title(f"One fit: {len(computed)} tasks, {len(messages)} messages between workers", fontsize=10)
    _zoom(axes[1], middle, begin)
    show(figure)


def _middle(messages: Sequence[Any]) -> list[Any]:
    """Return the messages of one operation, from the middle of a fit."""
    numbers = sorted({message.number for message in messages})
    return [message for message in messages if message.number == numbers[len(numbers) // 2]]


def _zoom(axes: Any, inside: Sequence[Any], begin: float) -> None:
    if not inside:
        axes.set_title("None of our messages between workers", fontsize=10)
        return
    times = [(message.seconds - begin) * 1000 for message in inside]
    margin = 0.3 + 0.35 * (max(times) - min(times))
    axes.set_xlim(min(times) - margin, max(times) + margin)
    for message, at in zip(inside, times, strict=True):
        axes.text(at, 0.5, f" {in_bytes(message.bytes)}", fontsize=8, color=WARNING, va="center")
    axes.set_title(f"Detail: {inside[0].operation} number {inside[0].number}", fontsize=10)


def _word(key: Any) -> str:
    text = str(key[0] if isinstance(key, tuple) else key)
    return "all iterations" if "rank" in text else "data"


@when_ready
def losses(curve: Sequence[float], best: float | None) -> None:
    """Draw the loss of each step of a descent, and the loss that the library reaches."""
    figure, axes = new_axes(7, 3)
    axes.plot(np.arange(1, len(curve) + 1), curve, color=ACCENT, linewidth=1.6)
    if best is not None:
        axes.axhline(best, color=WARNING, linewidth=1, linestyle="--")
        axes.text(len(curve), 0.92 * best, "scikit-learn", color=WARNING, fontsize=9, ha="right", va="top")
        axes.set_ylim(0.25 * best, None)
    axes.set(xlabel="evaluation of the gradient", ylabel="mean loss", title="Every point is one sum over all blocks")
    show(figure)


@when_ready
def accuracies(found: dict[str, float]) -> None:
    """Draw the accuracy of several models as bars."""
    figure, axes = new_axes(7, 0.9 + 0.45 * len(found))
    colours = [WARNING if "sorted" in name else ACCENT for name in found]
    drawn = axes.barh(list(found), list(found.values()), color=colours, height=0.6)
    axes.bar_label(drawn, labels=[f"{value:.1%}" for value in found.values()], padding=4, fontsize=9)
    axes.set(xlim=(0, 1.12), xlabel="share of test digits that are right")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    show(figure)


@when_ready
def neighbours(queries: Any, own: Any, rows: Any, images: Any, labels: Any) -> None:
    """Show some digits, each with its nearest neighbours; a neighbour that is another digit has a coloured frame."""
    rows = np.asarray(rows)
    figure, axes = new_axes(1.05 * (rows.shape[1] + 1), 1.25 * len(rows), nrows=len(rows), ncols=rows.shape[1] + 1)
    grid = np.reshape(axes, (*rows.shape[:1], -1))  # one query only: matplotlib gives a flat array
    for i in range(len(rows)):
        shown = [(queries[i], own[i]), *((images[row], labels[row]) for row in rows[i])]
        for j, (image, label) in enumerate(shown):
            one = grid[i, j]
            one.imshow(np.asarray(image).reshape(8, 8), cmap="Greys", vmin=0, vmax=16)
            one.set(xticks=[], yticks=[])
            different = label != own[i]
            one.spines[:].set(visible=j == 0 or different, color=WARNING if different else INK, linewidth=2)
            one.set_title(f"query {label}" if j == 0 else str(label), fontsize=9, color=WARNING if different else INK)
    show(figure)


def airports(table: Any, labels: Any) -> None:
    """Draw airports where they lie, coloured by cluster; those in no cluster are grey."""
    labels = np.asarray(labels)
    figure, axes = new_axes(9, 4.4)
    alone = labels < 0
    axes.scatter(table["lon"][alone], table["lat"][alone], s=5, color=QUIET, alpha=0.6, linewidths=0)
    sizes = np.bincount(labels[~alone]) if (~alone).any() else np.zeros(0, dtype=int)
    for number in np.argsort(-sizes):
        inside = labels == number
        axes.scatter(
            table["lon"][inside], table["lat"][inside], s=10, color=_CROWDS[number % len(_CROWDS)], linewidths=0
        )
        if sizes[number] >= 40:
            middle = table["lon"][inside].mean(), table["lat"][inside].max() + 1.5
            axes.annotate(
                f"{sizes[number]}", middle, fontsize=9, color=INK, ha="center",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            )  # fmt: skip
    axes.set(
        xlabel="longitude", ylabel="latitude", xlim=(-180, -60), ylim=(15, 75),
        title=f"{len(sizes)} clusters of airports; {alone.sum()} airports in none (grey)",
    )  # fmt: skip
    show(figure)


def label_order(true: Any, by_worker: Any, shape: Sequence[int], palette: Any) -> None:
    """Paint a photo with the colour of each pixel's label: in the order of the pixels, and worker by worker."""
    figure, axes = new_axes(10, 3.9, ncols=2)
    colours = np.clip(np.asarray(palette), 0, 1)
    titles = ("labels from predict, in the order of X", "the same labels, concatenated worker by worker")
    for one, labels, title in zip(axes, (true, by_worker), titles, strict=True):
        one.imshow(colours[np.asarray(labels)].reshape(shape))
        one.set_axis_off()
        one.set_title(title, fontsize=10)
    figure.supxlabel(ATTRIBUTION, fontsize=8, color=QUIET)
    show(figure)
