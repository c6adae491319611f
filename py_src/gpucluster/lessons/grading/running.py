"""Grading a class: one warden per notebook, and the answer key first."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import psutil
from pydantic import ValidationError

from ..catalogue import NOTEBOOKS_VARIABLE, find_lesson, notebooks_folder
from .cage import TOKEN_VARIABLE, Cage
from .job import Job
from .model import ExerciseGrade, Grades, Limits, NotebookGrade, Place
from .submissions import Submission

INSIDE = frozenset({"01.4", "06.6", "06.9", "08.3"})
"""Exercises that are not even tried from outside.

What the learner writes is sent to workers as it is, or the check hands over a function that counts its calls.
"""
_SLACK_S = 60.0
_END_S = 15.0
_MOST_ANSWER = 32 * 2**20

Say = Callable[[str], None]


def grade(
    submissions: Sequence[Submission],
    limits: Limits | None = None,
    *,
    seed: int | None = None,
    say: Say = lambda text: None,
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
    """
    limits = limits or Limits()
    seed = secrets.randbits(32) if seed is None else seed
    notes: list[str] = []
    keys: dict[str, dict[str, ExerciseGrade]] = {}
    graded = []
    hidden = sorted({submission.path.resolve().parent for submission in submissions})
    for number, submission in enumerate(submissions, start=1):
        if not submission.problem and submission.lesson not in keys:
            say(f"Grading the answer key of lesson {submission.lesson}")
            keys[submission.lesson] = _key(submission.lesson, limits, seed, notes)
        say(f"Grading {number} of {len(submissions)}: {submission.learner}, lesson {submission.lesson}")
        graded.append(_graded(submission, keys.get(submission.lesson, {}), limits, seed, hidden))
    from ..._version import __version__

    return Grades(
        graded_at=datetime.now(UTC).replace(microsecond=0).isoformat(),
        version=__version__,
        seed=seed,
        limits=limits,
        submissions=graded,
        notes=notes,
    )


def _key(lesson: str, limits: Limits, seed: int, notes: list[str]) -> dict[str, ExerciseGrade]:
    """Grade the answer key: from outside, and what does not pass so once more from inside."""
    known = find_lesson(lesson)
    assert known is not None
    numbers = [exercise.id for exercise in known.exercises]
    places: dict[str, Place] = {number: "inside" for number in numbers if number in INSIDE}
    found: dict[str, ExerciseGrade] = {}
    said: list[str] = []
    for _ in range(2):
        job = Job(path=known.solution_notebook, learner="", lesson=lesson, seed=seed, limits=limits, places=places)
        result = _in_a_warden(job)
        said = result.notes
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
            f"{', '.join(failed)}. {'; '.join(said[:3])}".rstrip()
        )
    return found


def _graded(
    submission: Submission, key: dict[str, ExerciseGrade], limits: Limits, seed: int, hidden: list[Path]
) -> NotebookGrade:
    if submission.problem:
        note = f"The notebook was not graded: {submission.problem}."
        return NotebookGrade(
            learner=submission.learner, lesson=submission.lesson, file=str(submission.path), status="unreadable",
            notes=[note],
        )  # fmt: skip
    places: dict[str, Place] = {name: one.place for name, one in key.items()}
    job = Job(
        path=submission.path.resolve(), learner=submission.learner, lesson=submission.lesson, seed=seed, limits=limits,
        places=places, hidden=hidden,
    )  # fmt: skip
    result = _in_a_warden(job)
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


def _counted(one: ExerciseGrade, key: ExerciseGrade | None) -> ExerciseGrade:
    if _state(key) == "passed":
        return one
    return one.model_copy(update={"points": 0, "of": 0, "state": "ungraded", "message": "The answer key fails here."})


def _state(one: ExerciseGrade | None) -> str:
    return one.state if one is not None else "not_reached"


def _in_a_warden(job: Job) -> NotebookGrade:
    failed = NotebookGrade(learner=job.learner, lesson=job.lesson, file=str(job.path), status="stopped")
    root = Path(tempfile.mkdtemp(prefix="gg"))
    cage = Cage(root, secrets.token_hex(16))
    cage.prepare()
    environment = cage.environment()
    environment[NOTEBOOKS_VARIABLE] = str(notebooks_folder())  # the warden sees the solutions; the kernel does not
    try:
        text = _ask_warden(job, environment)
        result = NotebookGrade.model_validate_json(text)
    except (ValidationError, subprocess.TimeoutExpired, ValueError) as error:
        kind = "It was ended, as it did not finish in time." if isinstance(error, subprocess.TimeoutExpired) else (
            "The process that graded it has died.")  # fmt: skip
        failed.notes = [kind]
        return failed
    finally:
        _end_marked(cage.token)
        shutil.rmtree(root, ignore_errors=True)
    # Who it belongs to is known here; whatever happened over there does not change it.
    return result.model_copy(update={"learner": job.learner, "lesson": job.lesson, "file": str(job.path)})


def _ask_warden(job: Job, environment: dict[str, str]) -> str:
    command = [sys.executable, "-m", "gpucluster.lessons.grading.warden"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True,
        start_new_session=True, cwd="/",
    ) as warden:  # fmt: skip
        try:
            text, _ = warden.communicate(job.model_dump_json(), timeout=job.limits.seconds + _SLACK_S)
        except BaseException:  # Ctrl-C too: nothing is left running
            warden.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                warden.wait(_END_S)
            warden.kill()
            raise
    if len(text) > _MOST_ANSWER:
        raise ValueError("the answer is too large")
    return text


def _end_marked(token: str) -> None:
    """Kill what a warden that died has left: its processes carry the token in their environment."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.uids().real == os.getuid() and process.environ().get(TOKEN_VARIABLE) == token:
                process.kill()
