"""Lesson 15, no cluster needed: a letter as data, and kinds of tasks."""

from __future__ import annotations

from typing import Any

from ...examination import Examination, describe
from .. import exercise

CHARTER: dict[str, tuple[Any, str]] = {
    "task": ("classification", "each flight gets one of two answers: late or not"),
    "late_from": (30, "from how many minutes on is a flight late?"),
    "decide_before": (60, "how many minutes before departure must the list be there?"),
    "share": (0.1, "which share of the flights can be warned, as a number from 0 to 1?"),
    "figure": ("lift", "what does the letter compare: late flights on the list, and late flights among all"),
    "at_least": (3.0, "how many times as many?"),
    "worst_month": (2.5, "what must hold in each single month?"),
}
TASKS = ("classification", "regression", "clustering", "no model")
KEY = {
    "late or not": "classification",
    "minutes of delay": "regression",
    "kinds of weather": "clustering",
    "how many flights were cancelled": "no model",
    "groups of airports": "clustering",
    "which of five causes": "classification",
}


@exercise("15.1", "charter", "tasks")
def check_charter(exam: Examination, charter: Any, tasks: Any) -> None:
    """The letter is in the dictionary, number for number; the tasks have their kinds."""
    exam.require("The charter is a dictionary", isinstance(charter, dict), describe(charter))
    missing = [name for name in CHARTER if charter.get(name) in (None, ...)]
    exam.require("Each entry of the charter is filled", not missing, f"without a value: {', '.join(missing)}")
    for name, (true, question) in CHARTER.items():
        given = charter[name]
        if isinstance(true, str):
            right = isinstance(given, str) and given.strip().lower() == true
        else:
            right = _close(given, true)
        exam.expect(f'"{name}" is what the letter says', right, repr(given) if right else f"{given!r}: {question}")
    exam.require("tasks is a dictionary", isinstance(tasks, dict), describe(tasks))
    absent = [name for name in KEY if tasks.get(name) in (None, ...)]
    exam.require("Each of the six questions has a word", not absent, f"without one: {', '.join(absent)}")
    said = {name: str(tasks[name]).strip().lower() for name in KEY}
    unknown = [name for name in KEY if said[name] not in TASKS]
    exam.require(f"Each word is one of {', '.join(TASKS)}", not unknown,
                 f"{unknown[0]}: {tasks[unknown[0]]!r}" if unknown else "all are")  # fmt: skip
    wrong = [name for name in KEY if said[name] != KEY[name]]
    exam.expect("Each question has the kind of task that answers it", not wrong,
                f"look again: {wrong[0]}" if wrong else "all have")  # fmt: skip


def _close(given: Any, true: float) -> bool:
    try:
        return not isinstance(given, bool) and abs(float(given) - true) < 1e-9
    except (TypeError, ValueError):
        return False
