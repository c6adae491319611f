"""Pictures of lesson 09: two worlds, who sends to whom in which round, and measurements that were repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...figures.drawing import when_ready
from ...figures.vector import ACCENT, INK, QUIET, WARNING, Picture

if TYPE_CHECKING:
    from ...simulations.ranks.local_world import SentMessage


def two_worlds() -> None:
    """Draw ranks that run one program, and beside them a notebook, a scheduler and workers."""
    picture = Picture(
        780, 330,
        "Left, MPI: four ranks in a square. Each has the same program and its own part of the data, and each is "
        "connected to each other one by arrows in both directions. Right, Dask: the notebook sends a graph to the "
        "scheduler, the scheduler sends tasks to three workers, which hold the blocks. Arrows between workers: they "
        "send each other blocks when a task needs them.",
    )  # fmt: skip
    picture.text(180, 22, "MPI: the same program n times", bold=True, size=14, anchor="middle")
    picture.text(585, 22, "Dask: one program, and workers", bold=True, size=14, anchor="middle")
    places = [(85, 90), (275, 90), (85, 240), (275, 240)]
    for number, (x, y) in enumerate(places):
        picture.frame(x, y, 124, 60, f"rank {number}", f"program + part {number}", colour=ACCENT)
    sides = [((147, 90), (213, 90)), ((147, 240), (213, 240)), ((85, 120), (85, 210)), ((275, 120), (275, 210))]
    for one, other in [*sides, ((130, 121), (230, 209)), ((230, 121), (130, 209))]:
        picture.arrow(one, other, both=True)
    picture.text(180, 305, "no coordinator; each rank decides for itself,", colour=QUIET, anchor="middle", size=12)
    picture.text(180, 322, "and all must call the same operations", colour=QUIET, anchor="middle", size=12)
    picture.line([(385, 40), (385, 325)], colour=QUIET, dashes="4 4")
    picture.frame(585, 62, 180, 34, "notebook: the program", colour=WARNING)
    picture.frame(585, 142, 150, 34, "scheduler", colour=INK)
    picture.arrow((585, 79), (585, 124))
    picture.text(594, 106, "graph of tasks", anchor="start", colour=QUIET, size=12)
    for number, x in enumerate((455, 585, 715)):
        picture.frame(x, 240, 110, 60, f"worker {number}", "blocks " + ("0, 3", "1, 4", "2, 5")[number], colour=ACCENT)
        picture.arrow((585 + (x - 585) * 0.35, 159), (x, 209))
    picture.text(690, 178, "tasks", anchor="start", colour=QUIET, size=12)
    for x in (520, 650):
        picture.arrow((x - 9, 240), (x + 9, 240), both=True)
    picture.text(585, 305, "one decides, the others compute;", colour=QUIET, anchor="middle", size=12)
    picture.text(585, 322, "another worker takes over from a lost one", colour=QUIET, anchor="middle", size=12)
    picture.show()


def rounds_of(messages: Sequence[SentMessage]) -> list[int]:
    """Return the round of each message: after all that its sender has received, and one at a time for each receiver."""
    known: dict[int, int] = {}
    busy: dict[int, int] = {}
    found = []
    for message in messages:
        place = max(known.get(message.source, 0), busy.get(message.target, 0)) + 1
        busy[message.target] = place
        known[message.target] = max(known.get(message.target, 0), place)
        found.append(place)
    return found


@when_ready
def rounds(ways: Mapping[str, Sequence[SentMessage]], n_ranks: int) -> None:
    """Draw the messages of some programs, one column each: ranks from left to right, rounds from top to bottom."""
    placed = {name: list(zip(messages, rounds_of(messages), strict=True)) for name, messages in ways.items()}
    most = max([place for way in placed.values() for _, place in way], default=1)
    step, left, lane = 34, 56, 38
    # Wide enough for what is said below a column.
    width = max(left + n_ranks * lane + 30, 310)
    told = "; ".join(
        f"{name}: " + ", ".join(f"round {place} rank {m.source} to {m.target}" for m, place in way)
        for name, way in placed.items()
    )
    picture = Picture(width * len(placed), 74 + step * most + 26, f"Messages by round. {told}.")
    for column, (name, way) in enumerate(placed.items()):
        x0 = column * width + (width + 26 - n_ranks * lane) / 2
        picture.text(x0 + (n_ranks - 1) * lane / 2, 18, name, bold=True, size=13, anchor="middle")
        picture.text(x0 - 12, 46, "round", colour=QUIET, anchor="end", size=12)
        for rank in range(n_ranks):
            x = x0 + rank * lane
            picture.text(x, 46, str(rank), bold=True, anchor="middle", size=12)
            picture.line([(x, 54), (x, 66 + step * most)], colour=QUIET, dashes="4 4")
        last = max((place for _, place in way), default=0)
        for place in range(1, last + 1):
            picture.text(x0 - 16, 58 + step * place, str(place), colour=QUIET, anchor="end", size=12)
        for message, place in way:
            y = 54 + step * place
            colour = WARNING if message.target == 0 else ACCENT
            picture.arrow((x0 + message.source * lane, y), (x0 + message.target * lane, y), colour=colour)
        root = sum(message.target == 0 for message, _ in way)
        words = f"{len(way)} messages, {root} of them to rank 0, {last} rounds"
        picture.text(
            x0 + (n_ranks - 1) * lane / 2, 74 + step * most + 14, words, colour=QUIET, anchor="middle", size=12
        )
    picture.show()


@when_ready
def repeats(seconds: Mapping[str, Sequence[float]]) -> None:
    """Draw each measurement as a dot on a line that begins at 0, and the median as a stroke."""
    from statistics import median

    longest = max(max(values) for values in seconds.values())
    left, right, step = 190, 560, 44
    scale = (right - left) / longest
    told = "; ".join(f"{name}: {', '.join(f'{value:.2f}' for value in values)} s" for name, values in seconds.items())
    picture = Picture(640, 54 + step * len(seconds), f"Each measurement as a dot, the median as a stroke. {told}.")
    for number, (name, values) in enumerate(seconds.items()):
        y = 28 + step * number
        picture.text(left - 14, y + 4, name, anchor="end", size=12)
        picture.line([(left, y), (right, y)], colour=QUIET, dashes="4 4", width=0.8)
        for value in values:
            picture.dot(left + scale * value, y, ACCENT)
        middle = left + scale * median(values)
        picture.line([(middle, y - 14), (middle, y + 14)], colour=WARNING, width=2.5)
        picture.text(right + 12, y + 4, f"{median(values):.2f} s", anchor="start", colour=WARNING, size=12)
    base = 28 + step * len(seconds) - 12
    picture.line([(left, base), (right, base)])
    for share in (0, 0.5, 1):
        picture.text(
            left + share * (right - left), base + 18, f"{share * longest:.2f} s", colour=QUIET, anchor="middle", size=12
        )
    picture.show()
