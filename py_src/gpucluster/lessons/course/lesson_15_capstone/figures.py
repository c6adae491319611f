"""Figures of the capstone: the circle of phases, kinds of weather, candidates, months, drift, chains of calls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...figures.drawing import in_bytes, when_ready
from ...figures.vector import ACCENT, BLUE, DEEP_BLUE, DEEP_GREEN, DEEP_GREY, DEEP_ORANGE, GREY, QUIET, WARNING, Picture

PHASES = {
    "business": ("1 business", "understanding"), "data": ("2 data", "understanding"),
    "preparation": ("3 data", "preparation"), "modelling": ("4 modelling", ""), "evaluation": ("5 evaluation", ""),
    "deployment": ("6 deployment", ""),
}  # fmt: skip


def journey(path: Sequence[str]) -> None:
    """Draw the six phases in a circle; with the phases of a project, its steps, those back in another colour."""
    width, height, radius = 640.0, 330.0, 118.0
    places = {}
    for number, phase in enumerate(PHASES):
        angle = 2 * math.pi * number / len(PHASES) - math.pi / 2
        places[phase] = (width / 2 + 1.75 * radius * math.cos(angle), height / 2 + radius * math.sin(angle))
    names = list(PHASES)
    steps = list(pairwise(path)) if path else [*pairwise([*names, names[0]]), ("modelling", "preparation"),
                                               ("evaluation", "business")]  # fmt: skip
    back = [step for step in steps if names.index(step[1]) < names.index(step[0]) and step[0] != "deployment"]
    said = ", ".join(" ".join(PHASES[phase]).strip()[2:] for phase in path)
    picture = Picture(width, height, f"The phases of this project so far: {said}." if path else
                      "Six phases in a circle: business understanding, data understanding, data preparation, "
                      "modelling, evaluation, deployment, and back to the beginning. Arrows lead back from "
                      "modelling to preparation, and from evaluation to business understanding.")  # fmt: skip
    for step in dict.fromkeys(steps):
        if step[0] != step[1]:
            _arrow(picture, places[step[0]], places[step[1]], WARNING if step in back else ACCENT, step in back,
                   steps.count(step))  # fmt: skip
    for phase, (x, y) in places.items():
        lines = [line for line in PHASES[phase] if line]
        picture.frame(x, y, 118, 40, *lines, colour=QUIET if path and phase not in path else ACCENT)
    picture.legend(6, height - 8, [(ACCENT, "onwards"), (WARNING, "back")])
    picture.show()


def _arrow(picture: Picture, start: tuple[float, float], end: tuple[float, float], colour: str, back: bool,
           times: int) -> None:  # fmt: skip
    """Draw an arrow from frame to frame, moved aside for the way back."""
    (x, y), (to_x, to_y) = start, end
    length = math.hypot(to_x - x, to_y - y)
    dx, dy = (to_x - x) / length, (to_y - y) / length
    side = 14.0 if back else 0.0
    shift = (-dy * side, dx * side)
    inset = min(66 / max(abs(dx), 1e-9), 26 / max(abs(dy), 1e-9)) + side * (length > 200)
    one = (x + dx * inset + shift[0], y + dy * inset + shift[1])
    other = (to_x - dx * inset + shift[0], to_y - dy * inset + shift[1])
    picture.arrow(one, other, colour)
    if times > 1:
        x, y = (one[0] + other[0]) / 2 + 34 * dy, (one[1] + other[1]) / 2 - 34 * dx + 4
        picture.text(x, y, f"{times} ×", anchor="middle", size=11, bold=True)


@when_ready
def kinds(means: Any, late: Any, counts: Any, overall: float) -> None:
    """Draw how often flights are late after each kind of weather, beside what the weather is like."""
    order = list(late.sort_values(ascending=False).index)
    left, width, row = 250.0, 330.0, 40.0
    longest = max(float(late.max()), overall) * 1.15
    picture = Picture(left + width + 120, 44 + row * len(order) + 26, "")
    picture.text(0, 16, "kind of weather, two hours before", size=12, bold=True)
    picture.text(left, 16, "of its flights left 30 minutes late or more", size=12, bold=True)
    said = []
    for number, name in enumerate(order):
        y = 34 + row * number
        words = _like(means.loc[name], means)
        picture.text(0, y + 13, words, size=12)
        mean = means.loc[name]
        picture.text(0, y + 28, f"{mean['temp']:.0f} °F, wind {mean['wind_speed']:.0f} mph, "
                                f"view {mean['visib']:.1f} mi, humid {mean['humid']:.0f} %",
                     size=10, colour=QUIET)  # fmt: skip
        share = float(late[name])
        picture.box(left, y + 4, width * share / longest, 22, DEEP_ORANGE if share > overall else DEEP_BLUE,
                    f"{share:.1%} of {int(counts[name]):,} flights")  # fmt: skip
        told = f"{share:.0%} of {int(counts[name]):,}"
        picture.text(_beside(width * share, width * overall, longest, left, told), y + 19, told, size=11)
        said.append(f"{words}: {share:.0%} of {int(counts[name]):,} flights")
    at = left + width * overall / longest
    picture.line([(at, 26), (at, 34 + row * len(order))], dashes="4 3")
    picture.text(at, 34 + row * len(order) + 14, f"all: {overall:.0%}", anchor="middle", size=11)
    picture.words = (
        f"Share of late flights after each kind of weather, {overall:.0%} among all. " + "; ".join(said) + "."
    )
    picture.show()


def _beside(bar: float, line: float, longest: float, left: float, words: str) -> float:
    """Return where words begin behind a bar, or behind a line that would go through them."""
    end, at = left + bar / longest, left + line / longest
    return at + 6 if end < at < end + 12 + 6.5 * len(words) else end + 6


def _like(mean: Any, means: Any) -> str:
    """Name what sets a kind apart from the others."""
    words = []
    if mean["precip"] > 0.01:
        words.append("rain")
    if mean["visib"] < 8:
        words.append("poor visibility")
    spread = {"temp": ("cold", "warm", 8), "wind_speed": ("calm", "windy", 3), "humid": ("dry", "humid", 9)}
    for name, (low, high, step) in spread.items():
        away = mean[name] - means[name].mean()
        words += [high] if away > step else [low] if away < -step else []
    return ", ".join(words) or "ordinary"


def histograms(features: int, bins: int) -> None:
    """Draw two workers whose rows stay, and the histograms that travel."""
    picture = Picture(660, 190, f"Two workers keep their rows. Each makes histograms of {features} features with "
                      f"{bins} bins; an allreduce adds them up, "
                      "and both have the same sums, so the same split.")  # fmt: skip
    for number, x in enumerate((95, 565)):
        picture.frame(x, 44, 170, 60, f"worker {number}", "rows, chances, gradients", "stay here")
        picture.frame(x, 144, 170, 60, "the best split", "the same on each worker", "each moves its own rows")
        picture.arrow((x, 76), (x, 112), QUIET)
    sums = f"sums of g and h in {features} × {bins} bins"
    picture.frame(330, 94, 206, 66, "allreduce", sums, "of each node", colour=ACCENT)
    for x, to_x in ((182, 224), (478, 436)):
        picture.arrow((x, 60), (to_x, 80), ACCENT)
        picture.arrow((to_x, 110), (x, 132), ACCENT)
    picture.show()


@when_ready
def losses(values: Sequence[float]) -> None:
    """Draw the loss after each tree."""
    left, top, width, height = 60.0, 20.0, 480.0, 130.0
    low, high = min(values), max(values)
    picture = Picture(left + width + 90, top + height + 40, f"Mean log loss on the training part: {values[0]:.4f} "
                      f"before the first tree, {values[-1]:.4f} after {len(values) - 1} trees.")  # fmt: skip

    def at(number: int) -> tuple[float, float]:
        share = (values[number] - low) / max(high - low, 1e-12)
        return left + width * number / max(len(values) - 1, 1), top + height * (1 - share)

    picture.line([(left, top), (left, top + height), (left + width, top + height)], QUIET, width=1)
    picture.line([at(number) for number in range(len(values))], ACCENT, width=2)
    for number in range(len(values)):
        picture.dot(*at(number), BLUE, f"{number} trees: {values[number]:.4f}", radius=3)
    picture.text(left - 4, top + 5, f"{high:.3f}", anchor="end")
    picture.text(left - 4, top + height, f"{low:.3f}", anchor="end")
    picture.text(left + width / 2, top + height + 26, "trees", anchor="middle")
    picture.text(left + width + 6, top + height + 4, f"{len(values) - 1}")
    picture.text(left + 16, top - 6, "loss on the training part")
    picture.show()


@when_ready
def candidates(rounds: Sequence[tuple[str, float, str]], bound: float) -> None:
    """Draw the lift of each candidate beside the criterion."""
    left, width, row = 210.0, 330.0, 30.0
    longest = max(bound, *(float(value) for _, value, _ in rounds)) * 1.1
    picture = Picture(left + width + 120, 30 + row * len(rounds) + 22, "")
    for number, (name, value, decision) in enumerate(rounds):
        y = 12 + row * number
        colour = DEEP_GREY if decision == "today" else DEEP_GREEN if decision == "go" else DEEP_ORANGE
        picture.text(left - 8, y + 15, name, anchor="end", size=12)
        picture.box(left, y, width * value / longest, 20, colour, f"{name}: lift {value:.2f}, {decision}")
        told = f"{value:.2f}, {decision}"
        picture.text(_beside(width * value, width * bound, longest, left, told), y + 15, told, size=12)
    at = left + width * bound / longest
    picture.line([(at, 4), (at, 12 + row * len(rounds))], dashes="4 3")
    picture.text(at, 12 + row * len(rounds) + 16, f"the letter: {bound:g}", anchor="middle", size=12)
    picture.words = f"Lift in August and September; the letter requires {bound:g}. " + "; ".join(
        f"{name}: {value:.2f}, {decision}" for name, value, decision in rounds) + "."  # fmt: skip
    picture.show()


@when_ready
def months(by_month: Mapping[int, float], whole: float, charter: Mapping[str, Any]) -> None:
    """Draw the lift of each month and of all, beside the two bounds of the charter."""
    named = {8: "August", 9: "September", 10: "October", 11: "November", 12: "December"}
    rows = [("all three", whole, charter["at_least"]),
            *((named.get(month, str(month)), value, charter["worst_month"])
              for month, value in by_month.items())]  # fmt: skip
    left, width, row = 100.0, 360.0, 30.0
    longest = max(value for _, value, _ in rows) * 1.1
    picture = Picture(left + width + 150, 16 + row * len(rows), "")
    for number, (name, value, bound) in enumerate(rows):
        y = 8 + row * number
        met = value >= bound
        picture.text(left - 8, y + 15, name, anchor="end", size=12, bold=number == 0)
        picture.box(left, y, width * value / longest, 20, DEEP_GREEN if met else DEEP_ORANGE, f"{name}: {value:.2f}")
        at = left + width * bound / longest
        picture.line([(at, y - 3), (at, y + 23)], width=2.4)
        picture.text(
            left + width * value / longest + 6, y + 15, f"{value:.2f} {'≥' if met else '<'} {bound:g}", size=12
        )
    picture.words = "Lift in the last part, with each bound. " + "; ".join(
        f"{name}: {value:.2f}, at least {bound:g} required" for name, value, bound in rows) + "."  # fmt: skip
    picture.show()


@when_ready
def drift(found: Mapping[str, Mapping[str, float]], limit: float) -> None:
    """Draw the index of each feature in each group as a table whose cells are the darker the larger it is."""
    groups = list(found)
    names = list(found[groups[0]])
    left, top, cell, row = 150.0, 30.0, 74.0, 28.0
    picture = Picture(left + cell * len(names) + 8, top + row * len(groups) + 30, "")
    said = []
    for number, name in enumerate(names):
        picture.text(left + cell * (number + 0.5), 20, name, anchor="middle", size=11)
    for line, group in enumerate(groups):
        y = top + row * line
        picture.text(left - 8, y + 18, group, anchor="end", size=11)
        for number, name in enumerate(names):
            value = found[group][name]
            alarm = value > limit
            strength = 0.25 + 0.6 * min(1.0, math.log1p(value) / math.log1p(4)) if alarm else 0.12
            x = left + cell * number
            picture.box(x + 1, y + 1, cell - 2, row - 2, DEEP_ORANGE if alarm else GREY,
                        f"{group}, {name}: {value:.3f}", opacity=strength)  # fmt: skip
            picture.text(
                x + cell / 2, y + 18, f"{value:.2f}{' !' if alarm else ''}", anchor="middle", size=11, bold=alarm
            )
        above = [f"{name} {value:.2f}" for name, value in found[group].items() if value > limit]
        said.append(f"{group}: {', '.join(above) or 'none'}")
    picture.text(left, top + row * len(groups) + 20, f"!  above {limit:g}", size=11)
    picture.words = f"Population stability index by feature; above {limit:g}: " + "; ".join(said) + "."
    picture.show()


@when_ready
def chains(found: Mapping[str, tuple[Sequence[tuple[str, bool, float]], tuple[float, float]]]) -> None:
    """Draw chains of calls on two levels, the device above and the host below, with every copy between them."""
    left, cell = 8.0, 96.0
    longest = max(len(calls) for calls, _ in found.values())
    picture = Picture(left + cell * (longest + 1) + 60, 12 + 104 * len(found), "")
    said = []
    for number, (title, (calls, copied)) in enumerate(found.items()):
        top = 12 + 104 * number
        told = f"{title}: {in_bytes(copied[0])} to the host, {in_bytes(copied[1])} to the device"
        said.append(told)
        picture.text(left, top + 8, told, size=12, bold=True)
        before, at = (left + 34, top + 32), True
        picture.text(left, top + 36, "device", size=11, colour=QUIET)
        picture.text(left, top + 80, "host", size=11, colour=QUIET)
        before = (left + 60, top + 32)
        for place, (name, fast, _) in enumerate(calls):
            x, y = left + 60 + cell * (place + 0.6), top + (32 if fast else 76)
            picture.arrow(before, (x - 34, y), WARNING if fast != at else QUIET)
            picture.box(x - 34, y - 12, 68, 24, DEEP_BLUE if fast else DEEP_ORANGE, f"{name}, on the "
                        f"{'device' if fast else 'host'}")  # fmt: skip
            picture.text(x, y + 4, name, anchor="middle", size=12, colour="white")
            before, at = (x + 34, y), fast
    picture.words = "Chains of calls on two levels, with copies where a chain changes level. " + "; ".join(said) + "."
    picture.show()
