"""Lesson 16, no cluster needed: order of milestones, gaps in claims, levels on a sheet, a note of two lines."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...study.certificate import LEVELS, level_of
from .. import exercise
from ..answers import number

MISSING: dict[str, tuple[frozenset[str], str]] = {
    "A": (frozenset({"source", "date", "sample"}), "A share of people. Who asked them, when, and how many?"),
    "B": (frozenset({"source", "date", "baseline"}), "A factor. Of what, and who measured it when?"),
    "C": (frozenset(), "Who counted stands there, and when. It is no share of people, and no gain."),
    "D": (frozenset({"date"}), "The list is named. It comes out twice a year."),
    "E": (frozenset({"source", "sample"}), "There is a year. Who asked, and how many?"),
    "F": (frozenset({"date"}), "Who measured, and compared with what, stands there."),
}
WORDS = {"source", "date", "baseline", "sample"}
SPILL = 1.25
"""A device may be asked to hold this many times its memory, and to spill the rest."""
CHOICES = ("one device", "spill", "cluster")


@exercise("16.7", "order")
def check_milestones(exam: Examination, order: Any) -> None:
    """The events in the order of their years."""
    from ...study.ordering import check_order

    check_order(exam, "16.7", order)


@exercise("16.8", "missing")
def check_claims(exam: Examination, missing: Any) -> None:
    """For each claim exactly the words that are missing."""
    exam.require("`missing` is a dictionary", isinstance(missing, dict), describe(missing))
    without = [name for name in MISSING if missing.get(name) in (None, ...)]
    exam.require("Each claim is there", not without, f"without one: {', '.join(without)}")
    for name, (true, question) in MISSING.items():
        given = missing[name]
        words = given.replace(",", " ").split() if isinstance(given, str) else given
        exam.require("Each is a set of words", isinstance(words, (set, frozenset, list, tuple)),
                     f"{name}: {describe(given)}")  # fmt: skip
        said = {str(word).strip().lower() for word in words}
        exam.require("Each is one of the four words", said <= WORDS, f"{name}: {', '.join(sorted(said - WORDS))}")
        exam.expect(f"Claim {name}", said == true, "it is right" if said == true else question)


@exercise("16.9", "levels")
def check_levels(exam: Examination, levels: Any) -> None:
    """Each level by itself, then random learners."""
    passed = {"state": "passed", "attempts": 2, "hints": 0, "solution_seen": False}
    cases: tuple[tuple[str, dict[str, Any] | None, str], ...] = (
        ("Passed without help is 'alone'", passed, "alone"),
        ("One hint makes it 'with hints'", {**passed, "hints": 1}, "with hints"),
        ("A solution that was read counts more than hints", {**passed, "hints": 3, "solution_seen": True}, LEVELS[1]),
        ("What has failed is 'not yet', also with the solution read",
         {**passed, "state": "failed", "solution_seen": True}, "not yet"),
        ("Many attempts are no help of others", {**passed, "attempts": 40}, "alone"),
        ("What nobody tried is 'not yet'", None, "not yet"),
    )  # fmt: skip
    for what, record, true in cases:
        found = _said(exam, levels, {"add": ["91.1"]}, {"91.1": record} if record else {})
        exam.expect(what, found == {"add": true}, f"{found.get('add')!r}")
    found = _said(exam, levels, {"add": []}, {"91.1": passed})
    none = found == {"add": "not yet"}
    exam.expect("An objective without exercises is 'not yet': nothing shows it", none, f"{found}")
    for _ in range(25):
        exercises = {f"91.{n}": _random_record(exam.rng) for n in range(1, 8) if exam.rng.random() < 0.85}
        objectives = {
            f"objective {n}": [f"91.{one}" for one in exam.rng.integers(1, 8, int(exam.rng.integers(1, 4)))]
            for n in range(5)
        }
        found = _said(exam, levels, objectives, exercises)
        true_levels = {name: level_of([exercises.get(one) for one in ids]) for name, ids in objectives.items()}
        same = set(found) == set(true_levels)
        exam.expect("Every objective has a level", same, f"{len(found)} of {len(true_levels)}")
        for name, level in true_levels.items():
            said, size = found.get(name), len(objectives[name])
            exam.expect("An objective has the lowest level of its exercises", said == level,
                        f"{said!r} instead of {level!r}, with {size} exercises")  # fmt: skip


@exercise("16.10", "plan", "note")
def check_note(exam: Examination, plan: Any, note: Any) -> None:
    """The numbers fit each other, and the two lines say what was decided and how it will be seen."""
    exam.require("`plan` is a dictionary", isinstance(plan, dict), describe(plan))
    names = ("data_gb", "working_room", "device_gb", "devices", "travels_gb")
    empty = [name for name in (*names, "choice") if plan.get(name) in (None, ...)]
    exam.require("Each entry of `plan` is there", not empty, f"without one: {', '.join(empty)}")
    data, room, device, devices, travels = (number(exam, plan[name], f"`{name}`") for name in names)
    exam.require("All sizes are larger than 0", min(data, room, device, devices) > 0 <= travels, "one is not")
    exam.expect("Working room is a factor of at least 1", room >= 1, f"{room:g}")
    choice = str(plan["choice"]).strip().lower()
    exam.require("`choice` is one of the three", choice in CHOICES, f"{plan['choice']!r}")
    need = data * room
    fits = "one device" if need <= device else "spill" if need <= SPILL * device else "cluster"
    exam.expect("The choice follows from the sizes", choice == fits,
                f"{need:g} GB with working room, {device:g} GB on a device: {choice!r}")  # fmt: skip
    exam.expect("There is a whole number of devices", devices == int(devices), f"{devices:g}")
    if choice == "cluster":
        least = max(2, math.ceil(need / device - 1e-9))
        exam.expect("The devices together hold the data with working room", devices >= least,
                    f"{devices:g} of {device:g} GB each, for {need:g} GB")  # fmt: skip
    else:
        exam.expect("One device is one device", devices == 1, f"{devices:g}")
    exam.expect("In one step less travels than all the data", travels < data, f"{travels:g} of {data:g} GB")
    exam.require("`note` is text", isinstance(note, str), describe(note))
    lines = [line.strip() for line in note.strip().splitlines() if line.strip()]
    exam.require("The note has two lines", len(lines) == 2, f"{len(lines)}")
    longest = max(map(len, lines))
    exam.expect("A line has at most 120 characters", longest <= 120, f"{longest}")
    fewest = min(len(line.split()) for line in lines)
    exam.expect("A line has at least five words", fewest >= 5, f"{fewest}")
    exam.expect("The first line names the choice", choice in lines[0].lower(), f"{lines[0][:60]!r}")
    measured = bool(re.search(r"\d", lines[1]))
    exam.expect("The second line has a number to measure against", measured, f"{lines[1][:60]!r}")


def _random_record(rng: np.random.Generator) -> dict[str, Any]:
    state = str(rng.choice(["passed", "passed", "passed", "failed", "not_yet"]))
    hints, read = int(rng.integers(0, 4)), bool(rng.random() < 0.3)
    return {"state": state, "attempts": int(rng.integers(0, 6)), "hints": hints, "solution_seen": read}


def _said(exam: Examination, levels: Any, objectives: Any, exercises: Any) -> dict[str, str]:
    result = exam.call(levels, objectives, exercises)
    exam.require("It returns a dictionary", isinstance(result, dict), describe(result))
    unknown = [str(level) for level in result.values() if level not in LEVELS]
    exam.require("Each level is one of the four", not unknown, f"{unknown[:1]}")
    return {str(name): str(level) for name, level in result.items()}
