"""A class at a glance: who is meant where names are the same, and what fails most in each exercise."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ...results import failure
from ..grades import ExerciseGrade, Grades, NotebookGrade

_STATES = {
    "not_yet": "left empty",
    "not_reached": "not reached",
    "tampered": "tampered with",
}


def shown_names(grades: Grades) -> list[str]:
    """Return how to call each notebook's learner, with the file where one learner has several of a lesson."""
    count = Counter((one.learner, one.lesson) for one in grades.submissions)
    return [
        one.learner if count[one.learner, one.lesson] == 1 else f"{one.learner} ({one.file})"
        for one in grades.submissions
    ]


def points_of(one: NotebookGrade) -> str:
    """Return "3 of 10"; of a notebook whose lesson nobody knows, nobody knows how many there are."""
    return f"{one.points:g} of {full_points(one)}"


def full_points(one: NotebookGrade) -> str:
    """Return how many points a right notebook has."""
    return f"{one.of:g}" if one.exercises else "unknown"


@dataclass(frozen=True)
class ExerciseSummary:
    """One exercise over all notebooks that had it.

    Attributes
    ----------
    exercise : ExerciseGrade
        Says which exercise it is.
    right, of : int
        Notebooks that have it right, and all of them.
    reasons : list of (str, int)
        What does not hold, or that it was left empty, and in how many notebooks; the most frequent first.
    """

    exercise: ExerciseGrade
    right: int
    of: int
    reasons: list[tuple[str, int]]


def exercise_summaries(grades: Grades) -> list[ExerciseSummary]:
    """Return how the class did in each exercise that counts."""
    together: dict[str, list[ExerciseGrade]] = {}
    for one in grades.submissions:
        for exercise in one.exercises:
            if exercise.state != "ungraded":
                together.setdefault(exercise.id, []).append(exercise)
    rows = []
    for entries in together.values():
        right = sum(entry.state == "passed" for entry in entries)
        reasons = Counter(reason for entry in entries for reason in _reasons(entry))
        ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        rows.append(ExerciseSummary(entries[0], right, len(entries), ranked))
    return rows


def _reasons(entry: ExerciseGrade) -> set[str]:
    if entry.state == "passed":
        return set()
    missing = {failure(one.expected, one.observed) for one in entry.findings if not one.passed}
    return missing or {_STATES.get(entry.state) or entry.message or "not right"}
