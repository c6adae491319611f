"""Grading a class: one runner per notebook, and the answer key first."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ..catalogue import find_lesson
from .answer_key import AnswerKey, grade_key
from .grades import ExerciseGrade, Grades, NotebookGrade
from .job import Job, Limits, Place
from .runner.process import grade_in_runner
from .sandbox.closed_folders import closed_folders
from .sandbox.protection import offered, refuse_too_little
from .submissions import Submission

Say = Callable[[str], None]


def grade(
    submissions: Sequence[Submission],
    limits: Limits | None = None,
    *,
    seed: int | None = None,
    unprotected: bool = False,
    say: Say = lambda text: None,
    keep: Callable[[Grades], None] = lambda grades: None,
) -> Grades:
    """Grade notebooks, one after the other.

    For each lesson, the answer key is graded first. It shows which exercises can be checked from outside of the kernel,
    and an exercise that the key itself does not pass on this machine, or not in a learner's time, counts for nobody.

    Parameters
    ----------
    submissions : sequence of Submission
        See `find_submissions`.
    limits : Limits, optional
        What one notebook may use.
    seed : int, optional
        Seed of the hidden inputs, the same for the whole class. Left out: a random one, which the result names.
    unprotected : bool, optional
        Grade also on a machine that cannot hold notebooks back.
    say : callable, optional
        Told what happens.
    keep : callable, optional
        Given what is graded so far, after each notebook.

    Raises
    ------
    Unprotected
        When this machine cannot hold notebooks back.
    """
    if not unprotected:
        refuse_too_little(offered())
    limits = limits or Limits()
    seed = secrets.randbits(32) if seed is None else seed
    keys: dict[str, AnswerKey] = {}
    from ..._version import __version__

    grades = Grades(
        graded_at=datetime.now(UTC).replace(microsecond=0).isoformat(), version=__version__, seed=seed, limits=limits,
        submissions=[],
    )  # fmt: skip
    closed = closed_folders(submissions)
    readable = {one.lesson for one in submissions if not one.problem}
    for number, submission in enumerate(submissions, start=1):
        if submission.lesson in readable and submission.lesson not in keys:
            say(f"Grading the answer key of lesson {submission.lesson}")
            keys[submission.lesson] = grade_key(submission.lesson, limits, seed, unprotected=unprotected)
            grades.notes += keys[submission.lesson].notes
        say(f"Grading {number} of {len(submissions)}: {submission.learner}, lesson {submission.lesson}")
        key = keys[submission.lesson].grades if submission.lesson in keys else None
        result = _graded(submission, key or {}, limits, seed, closed, unprotected=unprotected)
        _complete(result, key)
        grades.submissions.append(result)
        keep(grades)
    return grades


def _graded(
    submission: Submission,
    key: dict[str, ExerciseGrade],
    limits: Limits,
    seed: int,
    closed: list[Path],
    *,
    unprotected: bool,
) -> NotebookGrade:
    if submission.problem:
        note = f"The notebook was not graded: {submission.problem}."
        return NotebookGrade(
            learner=submission.learner, lesson=submission.lesson, file=_name(submission), status="unreadable",
            notes=[note],
        )  # fmt: skip
    places: dict[str, Place] = {name: one.place for name, one in key.items()}
    job = Job(
        path=submission.path, root=submission.root, file=_name(submission), learner=submission.learner,
        lesson=submission.lesson, seed=seed, limits=limits, places=places, closed_folders=closed,
        unprotected=unprotected,
    )  # fmt: skip
    return grade_in_runner(job)


def _complete(result: NotebookGrade, key: dict[str, ExerciseGrade] | None) -> None:
    """Give the result every exercise of its lesson: what could not be graded has no point, and counts all the same."""
    found = {one.id: one for one in result.exercises}
    known = find_lesson(result.lesson)
    if known is None:
        return
    result.exercises = [
        _as_the_key_allows(found.get(exercise.id) or ExerciseGrade(id=exercise.id, title=exercise.title), key)
        for exercise in known.exercises
    ]
    result.points = sum(one.points for one in result.exercises)
    result.of = sum(one.of for one in result.exercises)


def _name(submission: Submission) -> str:
    return submission.file or submission.path.name.encode("utf-8", "backslashreplace").decode()


def _as_the_key_allows(one: ExerciseGrade, keys: dict[str, ExerciseGrade] | None) -> ExerciseGrade:
    """The grade as it is, or that of an exercise which counts for nobody."""
    if keys is None:  # nobody handed in a notebook of this lesson that can be read
        return one
    key = keys.get(one.id)
    if key is not None and key.state == "passed":
        return one
    message = key.message if key is not None and key.state == "ungraded" else "The answer key fails here."
    return one.model_copy(update={"points": 0, "of": 0, "state": "ungraded", "message": message})
