"""Who says what to whom while a small graph runs: a sequence diagram, played from the learner's own task stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .drawing import ACCENT, INK, QUIET, WARNING, in_bytes, new_axes, show_frames, when_ready

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
