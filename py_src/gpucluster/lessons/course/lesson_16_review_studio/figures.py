"""Figures of lesson 16: what guessing brings, habits of authors, the days of a card, milestones, points of a topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...figures.drawing import when_ready
from ...figures.vector import ACCENT, BLUE, COLOURS, GREEN, GREY, ORANGE, QUIET, RED, Picture

WIDTH, LEFT = 760.0, 70.0
MILESTONES = (
    (1958, "perceptron (Rosenblatt)"),
    (1986, "backpropagation (Rumelhart, Hinton, Williams)"),
    (1995, "support vector machines (Cortes, Vapnik)"),
    (2001, "random forests (Breiman)"),
    (2004, "MapReduce (Dean, Ghemawat)"),
    (2007, "CUDA"),
    (2012, "AlexNet (Krizhevsky, Sutskever, Hinton)"),
    (2015, "Dask (Rocklin)"),
    (2018, "RAPIDS"),
)
"""Years of the publication, or of the announcement."""


@when_ready
def guessing(counts: Sequence[int], luck: Callable[[int], float] | None = None, mark: int | None = None) -> None:
    """Draw how many guessers had how many right.

    Parameters
    ----------
    counts : sequence of int
        Guessers with 0, 1, 2 … right answers.
    luck : callable, optional
        Gives the calculated probability of at least this many; drawn as dots.
    mark : int, optional
        Right answers from which an exam is passed.
    """
    total, most = sum(counts), max(counts)
    shares = ", ".join(f"{right} right: {count / total:.1%}" for right, count in enumerate(counts) if count)
    picture = Picture(WIDTH, 230, f"{total:,} guessers. {shares}.")
    step, height = (WIDTH - LEFT - 20) / len(counts), 150.0
    for right, count in enumerate(counts):
        x, tall = LEFT + step * right, height * count / most
        colour = GREEN if mark is not None and right >= mark else BLUE
        picture.box(x + 3, 180 - tall, step - 6, tall, colour, f"{right} right: {count:,} of {total:,}")
        above = 174 if luck is None else 171  # clear of the dot
        picture.text(x + step / 2, above - tall, f"{count / total:.1%}", anchor="middle", size=10)
        picture.text(x + step / 2, 196, f"{right}", anchor="middle")
        if luck is not None:
            exact = (luck(right) - luck(right + 1)) * total / most
            picture.dot(x + step / 2, 180 - height * exact, ORANGE, f"calculated: {exact * most / total:.2%}", radius=4)
    picture.line([(LEFT, 180), (WIDTH - 20, 180)], QUIET)
    picture.text(LEFT - 8, 196, "right", anchor="end")
    named = [(BLUE, "guessers, drawn at random"), *([(ORANGE, "calculated")] if luck is not None else [])]
    picture.legend(LEFT, 222, [*named, *([(GREEN, "passed by luck")] if mark is not None else [])])
    picture.show()


@when_ready
def habits(gains: Mapping[str, float], limit: float) -> None:
    """Draw how much each habit gains over chance, and the limit on both sides of 0."""
    told = ", ".join(f"{name} {gain:+.1%}" for name, gain in gains.items())
    picture = Picture(WIDTH, 46 + 26 * len(gains), f"Gain over chance. {told}. Limit: {limit:.0%}.")
    middle, reach = 430.0, 290 / max(limit * 1.6, *map(abs, gains.values()))
    for side in (-limit, limit):
        picture.line([(middle + reach * side, 8), (middle + reach * side, 14 + 26 * len(gains))], RED, dashes="4 4")
        picture.text(middle + reach * side, 32 + 26 * len(gains), f"{side:+.0%}", anchor="middle", colour=QUIET)
    for row, (name, gain) in enumerate(gains.items()):
        y, width = 14 + 26 * row, abs(gain) * reach
        picture.text(middle - reach * limit - 12, y + 12, name, anchor="end", size=12)
        picture.box(middle if gain > 0 else middle - width, y, width, 16, BLUE if abs(gain) <= limit else ORANGE,
                    f"{name}: {gain:+.1%}")  # fmt: skip
    picture.line([(middle, 8), (middle, 14 + 26 * len(gains))], QUIET)
    picture.text(middle, 32 + 26 * len(gains), "chance", anchor="middle", colour=QUIET)
    picture.show()


@when_ready
def card_days(rows: Mapping[str, Sequence[tuple[int, int]]], days: int) -> None:
    """Draw when a card was turned.

    Parameters
    ----------
    rows : mapping
        For each way of learning the turns: the day, and the box that the card went to.
    days : int
        How many days are shown.
    """
    told = "; ".join(f"{name}: {', '.join(str(day) for day, _ in turns)}" for name, turns in rows.items())
    picture = Picture(WIDTH, 66 + 40 * len(rows), f"Days on which a card is turned. {told}.")
    left = 210.0
    scale = (WIDTH - left - 30) / days
    for row, (name, turns) in enumerate(rows.items()):
        y = 26 + 40 * row
        picture.text(left - 16, y + 4, name, anchor="end", size=12)
        picture.line([(left, y), (left + scale * days, y)], QUIET, width=1)
        for day, box in turns:
            if day <= days:
                words = f"day {day}: to box {box}"
                picture.dot(left + scale * day, y, COLOURS[(box - 1) % len(COLOURS)], words, radius=7)
    bottom = 26 + 40 * len(rows)
    for day in range(0, days + 1, 5):
        picture.text(left + scale * day, bottom, f"{day}", anchor="middle", colour=QUIET)
    picture.text(left - 16, bottom, "day", anchor="end", colour=QUIET)
    picture.legend(left, bottom + 28, [(COLOURS[box], f"to box {box + 1}") for box in range(4)])
    picture.show()


@when_ready
def points(table: Sequence[tuple[str, Mapping[str, int]]], weak: int) -> None:
    """Draw the points of each topic, by rule, and the number from which one is called weak."""
    rules = list(dict.fromkeys(rule for _, parts in table for rule in parts))
    told = "; ".join(f"{name} {sum(parts.values())} ({', '.join(f'{rule} {n}' for rule, n in parts.items())})"
                     for name, parts in table)  # fmt: skip
    picture = Picture(WIDTH, 56 + 34 * len(table), f"Points of the advisor. {told}. Weak: {weak} or more.")
    left, most = 240.0, max([weak + 1, *(sum(parts.values()) for _, parts in table)])
    scale = (WIDTH - left - 60) / most
    for row, (name, parts) in enumerate(table):
        y, x = 12 + 34 * row, left
        short = name if len(name) <= 34 else f"{name[:33]}…"
        picture.text(left - 12, y + 16, short, anchor="end", size=12)
        for rule, number in parts.items():
            picture.box(x, y, scale * number - 1, 22, COLOURS[rules.index(rule) % len(COLOURS)], f"{rule}: {number}")
            x += scale * number
        picture.text(x + 8, y + 16, f"{sum(parts.values())}", size=12)
    x = left + scale * weak
    picture.line([(x, 6), (x, 12 + 34 * len(table))], RED, dashes="4 4")
    named = [(COLOURS[n % len(COLOURS)], rule) for n, rule in enumerate(rules)]
    picture.legend(20, 42 + 34 * len(table), [*named, (RED, f"weak: {weak} points or more (dashed)")])
    picture.show()


def milestones(events: Sequence[tuple[int, str]]) -> None:
    """Draw events on a line of years."""
    words = "; ".join(f"{year}: {what}" for year, what in events)
    picture = Picture(WIDTH, 40 + 30 * len(events), f"Milestones. {words}.")
    first, last = events[0][0], events[-1][0]
    scale = 250 / (last - first)
    for row, (year, what) in enumerate(events):
        x, y = 60 + scale * (year - first), 26 + 30 * row
        picture.line([(x, y), (x, 14 + 30 * len(events))], QUIET, width=0.8)
        picture.line([(x, y), (340, y)], QUIET, width=0.8, dashes="2 4")
        picture.dot(x, y, ACCENT, f"{year}: {what}")
        picture.text(346, y + 4, f"{year}", bold=True, size=12)
        picture.text(386, y + 4, what, size=12)
    bottom = 14 + 30 * len(events)
    picture.line([(50, bottom), (320, bottom)], GREY)
    picture.text(60, bottom + 16, f"{first}", anchor="middle", colour=QUIET)
    picture.text(60 + 250, bottom + 16, f"{last}", anchor="middle", colour=QUIET)
    picture.show()


def turns_of(answers: Sequence[bool], turn: Callable[..., Any], days: int) -> list[tuple[int, int]]:
    """Return day and box of each turn of a new card that is turned whenever it is due; the last answer is repeated."""
    made: list[tuple[int, int]] = []
    card, day = None, 0
    while day <= days:
        known = answers[min(len(made), len(answers) - 1)]
        box, due = turn(card, known, day)
        made.append((day, int(box)))
        if due <= day:
            break  # a wrong answer would turn it for ever
        card, day = (box, due), due
    return made
