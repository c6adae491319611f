"""The figures of lesson 03."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...figures.drawing import ACCENT, INK, QUIET, WARNING, in_bytes, new_axes, show, show_frames, when_ready
from .simulations import Entry, Order, makespan

# Figures of the kitchen: who worked when, drawn from the learner's own log and task stream.


_WAITING = "#e9e4da"


@when_ready
def gantt(evenings: dict[str, Sequence[Entry]], orders: Sequence[Order], bound: float | None = None) -> None:
    """Draw one chart per evening: a row per cook, a bar per order, hatched where a cook stands and waits.

    Parameters
    ----------
    evenings : dict
        Title of the chart and the log.
    bound : float, optional
        Drawn as a line: no schedule can end earlier.
    """
    evenings = {title: log for title, log in evenings.items() if log}
    if not evenings:
        print("Nothing to draw yet: finish the exercise above, then run this cell again.")
        return
    knives = {order.name for order in orders if order.knife}
    rows = max(len({entry.cook for entry in log}) for log in evenings.values())
    figure, axes = new_axes(9.5, len(evenings) * (0.75 + 0.42 * rows), nrows=len(evenings), sharex=True, squeeze=False)
    for one, (title, log) in zip(axes[:, 0], evenings.items(), strict=True):
        zero = min(entry.taken for entry in log)
        cooks = sorted({entry.cook for entry in log}, key=str)
        for entry in log:
            _order(one, cooks.index(entry.cook), entry, zero, entry.name in knives)
        if isinstance(bound, (int, float)):
            one.axvline(bound, color=WARNING, linewidth=1.2, linestyle="--")
        one.set(yticks=range(len(cooks)), yticklabels=[f"cook {cook}" for cook in cooks], ylim=(len(cooks) - 0.5, -0.5))
        one.set_title(f"{title}: {makespan(log):.2f} s", fontsize=10, loc="left")
        one.tick_params(axis="y", length=0)
    axes[-1, 0].set_xlabel("seconds since the first order")
    axes[-1, 0].set_xlim(0, 1.02 * max(makespan(log) for log in evenings.values()))
    figure.legend(handles=_legend(bound), ncols=4, frameon=False, fontsize=9, loc="outside lower center")
    show(figure)


def _order(axes: Any, row: int, entry: Entry, zero: float, knife: bool) -> None:
    if entry.began - entry.taken > 0.005:
        axes.barh(row, entry.began - entry.taken, left=entry.taken - zero, height=0.66, color=_WAITING, hatch="////",
                  edgecolor=QUIET, linewidth=0)  # fmt: skip
    busy = entry.ended - entry.began
    colour = ACCENT if knife else "#7fa650"
    axes.barh(row, busy, left=entry.began - zero, height=0.66, color=colour, edgecolor="white", linewidth=1)
    axes.text(entry.began - zero + busy / 2, row, entry.name.replace(" ", "\n"), ha="center", va="center", fontsize=7.5,
              color="white", linespacing=0.95, clip_on=True)  # fmt: skip


def _legend(bound: float | None) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shown = [
        Patch(color=ACCENT, label="works with a knife"),
        Patch(color="#7fa650", label="works without"),
        Patch(facecolor=_WAITING, edgecolor=QUIET, hatch="////", label="holds an order and waits for a knife"),
    ]
    line = Line2D([], [], color=WARNING, linestyle="--", label="lower bound (03.1)")
    return [*shown, line] if isinstance(bound, (int, float)) else shown


@when_ready
def animation(bars: Sequence[tuple[Any, ...]], frames: int = 25) -> None:
    """Play the learner's bars (row, start, seconds, name) again, and count the cooks at work."""
    from matplotlib.patches import Patch

    rows = 1 + max(int(bar[0]) for bar in bars)
    end = max(bar[1] + bar[2] for bar in bars)
    kinds = sorted({str(bar[3]).split()[0] for bar in bars})
    colours = {kind: (ACCENT, "#7fa650", WARNING, "#8a6fb0", INK)[index % 5] for index, kind in enumerate(kinds)}

    figure, axes = new_axes(9, 1.6 + 0.45 * rows)

    def draw(frame: int) -> None:
        axes.clear()
        now = end * frame / (frames - 1)
        for row, start, seconds, name in bars:
            if start < now:
                kind = str(name).split()[0]
                axes.barh(row, min(seconds, now - start), left=start, height=0.7, color=colours[kind],
                          edgecolor="white", linewidth=0.6)  # fmt: skip
        axes.axvline(now, color=INK, linewidth=1)
        at_work = len({row for row, start, seconds, _ in bars if start <= now < start + seconds})
        axes.set(xlim=(0, end * 1.02), ylim=(rows - 0.4, -0.6), yticks=range(rows), xlabel="seconds",
                 yticklabels=[f"cook {row}" for row in range(rows)],
                 title=f"{now:.2f} s: {at_work} of {rows} cooks at work")  # fmt: skip
        # All kinds from the first frame on, so that the picture does not jump.
        axes.legend(handles=[Patch(color=colours[kind], label=kind) for kind in kinds], ncols=5, frameon=False,
                    fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.1))  # fmt: skip

    words = f"The {len(bars)} tasks of the evening appear one after the other on {rows} rows, in {end:.2f} seconds."
    show_frames(figure, draw, frames, words=words, frame_seconds=0.15)


@when_ready
def speed(seconds: dict[str, dict[int, float]]) -> None:
    """Draw time against number of workers for several kinds of work, beside the ideal."""
    figure, axes = new_axes(9.5, 3.4, ncols=2)
    counts = sorted({count for times in seconds.values() for count in times})
    for index, (kind, times) in enumerate(seconds.items()):
        colour, x = (ACCENT, WARNING)[index % 2], sorted(times)
        axes[0].plot(x, [times[count] for count in x], color=colour, marker="o", label=kind)
        axes[1].plot(x, [times[x[0]] / times[count] for count in x], color=colour, marker="o", label=kind)
    axes[1].plot(counts, [count / counts[0] for count in counts], color=QUIET, linestyle="--", label="ideal")
    axes[0].set(xlabel="workers", ylabel="seconds", title="the same work", xticks=counts)
    axes[0].set_ylim(bottom=0)
    axes[1].set(xlabel="workers", ylabel="times as fast", title="speed-up", xticks=counts)
    axes[1].legend(frameon=False)
    show(figure)


@when_ready
def weak_scaling(seconds: dict[int, float]) -> None:
    """Draw the time when the work grows with the number of workers: ideally, it stays the same."""
    counts = sorted(seconds)
    figure, axes = new_axes(5.2, 3.0)
    axes.bar(counts, [seconds[count] for count in counts], color=ACCENT, width=0.5)
    axes.axhline(seconds[counts[0]], color=QUIET, linestyle="--", label="ideal: as long as with one worker")
    axes.set(xticks=counts, xlabel="workers, with work in proportion", ylabel="seconds")
    axes.set_ylim(0, 1.3 * max(seconds.values()))
    axes.legend(frameon=False, loc="upper left")
    show(figure)


@when_ready
def partition_sizes(before: Sequence[int], after: Sequence[int] | None = None) -> None:
    """Draw the rows of each partition, and their mean."""
    charts = {"original cut": before, **({"your partitions": after} if after is not None else {})}
    figure, axes = new_axes(9.0 if after is not None else 5.0, 2.8, ncols=len(charts), squeeze=False, sharey=True)
    for one, (title, rows) in zip(axes[0], charts.items(), strict=True):
        mean = float(np.mean(rows))
        one.bar(range(len(rows)), rows, color=ACCENT)
        one.axhline(mean, color=WARNING, linestyle="--", label=f"mean {mean:,.0f}")
        one.set(xlabel="partition", title=f"{title}: max / mean = {max(rows) / mean:.2f}", xticks=range(len(rows)))
        one.legend(frameon=False)
    axes[0, 0].set_ylabel("rows")
    axes[0, 0].yaxis.set_major_formatter("{x:,.0f}")
    show(figure)


# Who says what to whom while a small graph runs: a sequence diagram, played from the learner's own task stream.


NOTEBOOK, SCHEDULER = "notebook", "scheduler"


@dataclass(frozen=True)
class Step:
    """One arrow, or one task where sender and receiver are the same."""

    sender: str
    receiver: str
    words: str
    data: bool = False


def steps(records: Sequence[dict[str, Any]], names: dict[str, str]) -> list[Step]:
    """Return the messages that the records of a task stream stand for, in the order of the tasks.

    Parameters
    ----------
    records : sequence of dict
        Data of ``get_task_stream``.
    names : dict
        What each worker's address is called in the figure.
    """
    told = [Step(NOTEBOOK, SCHEDULER, f"a graph of {len(records)} tasks")]
    sizes = {record["worker"]: record["nbytes"] for record in records}
    ordered = sorted(records, key=lambda record: max(part["stop"] for part in record["startstops"]))
    for record in ordered:
        worker, task = names[record["worker"]], str(record["key"]).split("-")[0]
        told.append(Step(SCHEDULER, worker, f"run “{task}”"))
        for part in record["startstops"]:
            if part["action"] == "transfer":
                source = part["source"]
                told.append(Step(names[source], worker, f"its result, {in_bytes(sizes[source])}", data=True))
            elif part["action"] == "compute":
                told.append(Step(worker, worker, f"{task}: {1000 * (part['stop'] - part['start']):,.0f} ms"))
        told.append(Step(worker, SCHEDULER, f"“{task}” is done"))
    last = names[ordered[-1]["worker"]]
    size = in_bytes(ordered[-1]["nbytes"])
    return [*told, Step(last, SCHEDULER, f"the result, {size}", data=True), Step(SCHEDULER, NOTEBOOK, size, data=True)]


@when_ready
def sequence_diagram(records: Sequence[dict[str, Any]], workers: Sequence[str]) -> None:
    """Play the messages of one small graph, one after the other."""
    names = {address: f"worker {number}" for number, address in enumerate(workers)}
    if not records or any(record["worker"] not in names for record in records):
        print("Nothing to draw: no task was seen. Run the cell above again.")
        return
    told = steps(records, names)
    lanes = [NOTEBOOK, SCHEDULER, *names.values()]

    figure, axes = new_axes(8.5, 0.8 + 0.36 * len(told))

    def draw(frame: int) -> None:
        axes.clear()
        axes.set(xlim=(-0.6, len(lanes) - 0.4), ylim=(len(told) + 0.2, -1.0))
        axes.set_axis_off()
        for x, lane in enumerate(lanes):
            axes.plot([x, x], [-0.4, len(told)], color=QUIET, linewidth=0.8, linestyle=":")
            axes.text(x, -0.65, lane, ha="center", va="center", fontsize=10, color=INK, fontweight="bold")
        for row, step in enumerate(told[:frame]):
            _draw_step(axes, row, step, lanes, newest=row == frame - 1)

    words = "; ".join(f"{step.sender} to {step.receiver}: {step.words}" for step in told)
    show_frames(figure, draw, len(told) + 1, words=words, frame_seconds=0.9)


def _draw_step(axes: Any, row: int, step: Step, lanes: list[str], *, newest: bool) -> None:
    start, end = lanes.index(step.sender), lanes.index(step.receiver)
    colour = WARNING if step.data else INK
    if start == end:
        axes.text(start, row, step.words, ha="center", va="center", fontsize=8.5, color="white",
                  bbox={"boxstyle": "round,pad=0.3", "facecolor": ACCENT, "edgecolor": "none"})  # fmt: skip
        return
    width = 2.4 if newest else 1.3
    axes.annotate("", (end, row + 0.15), (start, row + 0.15),
                  arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": width})  # fmt: skip
    # Beside the arrow's own lanes, never on a third one.
    axes.text((start + end) / 2, row - 0.02, step.words, ha="center", va="bottom", fontsize=8.5, color=colour,
              bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # fmt: skip
