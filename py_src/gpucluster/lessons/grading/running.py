"""Grading a class: one warden per notebook, and the answer key first."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ..catalogue import find_lesson
from .hiding import closed_folders
from .job import Job
from .model import ExerciseGrade, Grades, Limits, NotebookGrade, Place
from .sending import in_a_warden
from .submissions import Submission

INSIDE = frozenset({"01.4", "06.6", "06.9", "08.3"})
"""Exercises that are not even tried from outside.

What the learner writes is sent to workers as it is, or the check hands over a function that counts its calls.
"""
_KEY_FACTOR = 3
_REMEDIES = {
    "time": "It ran out of time: allow more with --seconds, or grade on a machine that does less at the same time",
    "memory": "It ran out of memory: allow more with --memory",
    "processes": "It started more processes than are allowed",
    "stopped": "Its kernel or its warden ended early",
}

Say = Callable[[str], None]


def grade(
    submissions: Sequence[Submission],
    limits: Limits | None = None,
    *,
    seed: int | None = None,
    say: Say = lambda text: None,
    keep: Callable[[Grades], None] = lambda grades: None,
) -> Grades:
    """Grade notebooks, one after the other.

    For each lesson, the answer key is graded first. It shows which exercises can be judged from outside of the kernel,
    and an exercise that the key itself does not pass on this machine counts for nobody.

    Parameters
    ----------
    submissions : sequence of Submission
        See `find_submissions`.
    limits : Limits, optional
        What one notebook may use.
    seed : int, optional
        Seed of the hidden inputs, the same for the whole class. Left out: a random one, which the result names.
    say : callable, optional
        Told what happens.
    keep : callable, optional
        Given what is graded so far, after each notebook.
    """
    limits = limits or Limits()
    seed = secrets.randbits(32) if seed is None else seed
    keys: dict[str, dict[str, ExerciseGrade]] = {}
    from ..._version import __version__

    grades = Grades(
        graded_at=datetime.now(UTC).replace(microsecond=0).isoformat(), version=__version__, seed=seed, limits=limits,
        submissions=[],
    )  # fmt: skip
    notes = grades.notes
    hidden = closed_folders(submissions)
    for number, submission in enumerate(submissions, start=1):
        if not submission.problem and submission.lesson not in keys:
            say(f"Grading the answer key of lesson {submission.lesson}")
            keys[submission.lesson] = _key(submission.lesson, limits, seed, notes)
        say(f"Grading {number} of {len(submissions)}: {submission.learner}, lesson {submission.lesson}")
        grades.submissions.append(_graded(submission, keys.get(submission.lesson, {}), limits, seed, hidden))
        keep(grades)
    return grades


def _key(lesson: str, limits: Limits, seed: int, notes: list[str]) -> dict[str, ExerciseGrade]:
    """Grade the answer key: from outside, and what does not pass so once more from inside."""
    known = find_lesson(lesson)
    assert known is not None
    numbers = [exercise.id for exercise in known.exercises]
    places: dict[str, Place] = {number: "inside" for number in numbers if number in INSIDE}
    # What is too little for the key is too little for everybody: it gets more, so that only the learners' time counts.
    more = limits.model_copy(
        update={"seconds": _KEY_FACTOR * limits.seconds, "cell_seconds": _KEY_FACTOR * limits.cell_seconds}
    )
    found: dict[str, ExerciseGrade] = {}
    said: list[str] = []
    for _ in range(2):
        job = Job(path=known.solution_notebook, learner="", lesson=lesson, seed=seed, limits=more, places=places)
        result = in_a_warden(job)
        said = result.notes
        if result.status in _REMEDIES:
            said = [f"{_REMEDIES[result.status]}.", *said]
        for one in result.exercises:
            if _state(found.get(one.id)) != "passed":
                found[one.id] = one
        again = [number for number in numbers if _state(found.get(number)) != "passed"]
        if not again:
            break
        places = dict.fromkeys(again, "inside")
    inside = [one.id for one in found.values() if one.place == "inside" and one.state == "passed"]
    if inside:
        notes.append(
            f"Lesson {lesson}: checked inside the learner's kernel, as it cannot be done from outside: "
            f"{', '.join(inside)}."
        )
    failed = [number for number in numbers if _state(found.get(number)) != "passed"]
    if failed:
        notes.append(
            f"Lesson {lesson}: the answer key does not pass here, so these exercises count for nobody: "
            f"{', '.join(failed)}. {' '.join(_why(found, failed, said))}".rstrip()
        )
    return found


def _why(found: dict[str, ExerciseGrade], failed: list[str], said: list[str]) -> list[str]:
    """What the first exercise that failed shows, and what happened to the whole notebook."""
    first = found.get(failed[0])
    wrong = [one for one in first.findings if not one.passed] if first is not None else []
    shown = f"{wrong[0].expected}: {wrong[0].observed}" if wrong else first.message if first is not None else ""
    return [*said[:3], *([f"{failed[0]}: {shown[:300]}"] if shown else [])]


def _graded(
    submission: Submission, key: dict[str, ExerciseGrade], limits: Limits, seed: int, hidden: list[Path]
) -> NotebookGrade:
    if submission.problem:
        note = f"The notebook was not graded: {submission.problem}."
        return NotebookGrade(
            learner=submission.learner, lesson=submission.lesson, file=_name(submission), status="unreadable",
            notes=[note],
        )  # fmt: skip
    places: dict[str, Place] = {name: one.place for name, one in key.items()}
    job = Job(
        path=submission.path.resolve(), file=_name(submission), learner=submission.learner, lesson=submission.lesson,
        seed=seed, limits=limits, places=places, hidden=hidden,
    )  # fmt: skip
    result = in_a_warden(job)
    found = {one.id: one for one in result.exercises}
    known = find_lesson(submission.lesson)
    assert known is not None
    result.exercises = [
        _counted(found.get(exercise.id) or ExerciseGrade(id=exercise.id, title=exercise.title), key.get(exercise.id))
        for exercise in known.exercises
    ]
    result.points = sum(one.points for one in result.exercises)
    result.of = sum(one.of for one in result.exercises)
    return result


def _name(submission: Submission) -> str:
    return submission.file or submission.path.name.encode("utf-8", "backslashreplace").decode()


def _counted(one: ExerciseGrade, key: ExerciseGrade | None) -> ExerciseGrade:
    if _state(key) == "passed":
        return one
    return one.model_copy(update={"points": 0, "of": 0, "state": "ungraded", "message": "The answer key fails here."})


def _state(one: ExerciseGrade | None) -> str:
    return one.state if one is not None else "not_reached"
