"""Grading an answer: the check runs here, outside of the learner's kernel, wherever that can be."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...checking import lent_sentence
from ...checks import find_exercise
from ...examination import Examination, Halt, NeedsCluster, NotYet, describe_error
from ...hints import title_of
from ...properties import USABLE
from ..grades import ExerciseGrade, Property
from ..job import Place
from ..remote.objects import KernelConnection
from ..remote.values import valid_text

if TYPE_CHECKING:
    from distributed import Client

    from ....client.cluster import Cluster

NO_CLUSTER = "The notebook had no cluster to check it on."
_MOST_TEXT = 1_500

_Found = tuple[str, bool, str]
"""What was expected, whether it holds, what was observed."""


class GraderExamination(Examination):
    """An examination that connects to the notebook's cluster only when a check asks for it."""

    _own: Client | None = None

    @property
    def client(self) -> Client:
        """A client of the grader's own."""
        if self._own is None:
            cluster = _cluster()
            if cluster is None:
                raise NeedsCluster
            self._own = cluster.get_client()
        return self._own

    def close(self) -> None:
        """Disconnect."""
        if self._own is not None:
            self._own.close()


def grade_exercise(kernel: KernelConnection, exercise: str, seed: int, place: Place) -> ExerciseGrade:
    """Return what an exercise gets; whatever the learner's code does, this returns.

    Parameters
    ----------
    kernel : KernelConnection
        Where the answers are.
    exercise : str
        Number of the exercise.
    seed : int
        Seed of the hidden inputs.
    place : str
        Where the check runs.
    """
    return _graded(kernel, ExerciseGrade(id=exercise, title=title_of(exercise), place=place), seed)


def grade_with_solutions(
    kernel: KernelConnection, exercise: str, seed: int, place: Place, solutions: Mapping[str, str]
) -> ExerciseGrade | None:
    """Return what an exercise gets with the lesson's own answers to earlier ones; None where it uses none of them.

    Parameters
    ----------
    solutions : mapping
        Code of earlier exercises' solutions, by number: they take the place of the learner's own for this check.
    """
    try:
        used = kernel.ask("lend", exercise, dict(solutions))
        lent = [number for number in solutions if number in used]
    except Exception:  # a kernel that cannot do that keeps what it has
        return None
    if not lent:
        return None
    grade = grade_exercise(kernel, exercise, seed, place)
    grade.message = f"{lent_sentence(lent)} {grade.message}".strip()[:_MOST_TEXT]
    return grade


def _graded(kernel: KernelConnection, grade: ExerciseGrade, seed: int) -> ExerciseGrade:
    try:
        if grade.place == "inside":
            return _from_record(grade, kernel.ask("check", grade.id, seed))
        return _checked_here(grade, kernel, seed)
    except Exception as error:  # a check that trips over an odd answer has not passed
        grade.state, grade.points = "failed", 0
        grade.message = valid_text(f"The check could not finish: {type(error).__name__}: {error}")[:_MOST_TEXT]
        return grade


def _checked_here(grade: ExerciseGrade, kernel: KernelConnection, seed: int) -> ExerciseGrade:
    known = find_exercise(grade.id)
    if known is None:
        grade.state, grade.of, grade.message = "ungraded", 0, "There is no check for this exercise."
        return grade
    answers = kernel.answers(list(known.answers))
    if any(answer is Ellipsis for answer in answers):
        grade.state = "not_yet"
        return grade
    exam = GraderExamination(np.random.default_rng(seed))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known.examine(exam, *answers)
    except NotYet:
        grade.state = "not_yet"
        return grade
    except NeedsCluster:
        # What was found so far is kept for the report; it is not enough for a point.
        grade.message = NO_CLUSTER
        return _with_points(grade, _findings(exam), complete=False)
    except Halt:
        pass
    except Exception as error:
        exam.expect(USABLE, False, describe_error(error))
    finally:
        exam.close()
    return _with_points(grade, _findings(exam))


def _from_record(grade: ExerciseGrade, record: Any) -> ExerciseGrade:
    """Fill in what the check found in the learner's kernel; whatever that sends, an error here costs the point."""
    if record["state"] == "not_yet":
        grade.state = "not_yet"
        return grade
    if record.get("wrong_passes"):
        grade.state = "tampered"
        grade.message = "Known wrong answers pass in this kernel, too: it was tampered with."
        return grade
    unavailable = record["state"] == "unavailable"
    grade.message = NO_CLUSTER if unavailable else valid_text(str(record.get("message", "")))[:_MOST_TEXT]
    findings = [(str(one["expected"]), one["passed"] is True, str(one["observed"])) for one in record["findings"]]
    return _with_points(grade, findings, complete=record["state"] == "passed")


def _findings(exam: Examination) -> list[_Found]:
    return [(one.expected, one.passed, one.observed) for one in exam.findings]


def _with_points(grade: ExerciseGrade, findings: list[_Found], *, complete: bool = True) -> ExerciseGrade:
    grade.findings = [
        Property(expected=valid_text(expected)[:_MOST_TEXT], passed=passed, observed=valid_text(observed)[:_MOST_TEXT])
        for expected, passed, observed in findings[:200]
    ]
    passed = complete and bool(grade.findings) and all(one.passed for one in grade.findings)
    grade.state = "passed" if passed else "failed"
    grade.points = grade.of if passed else 0
    return grade


def _cluster() -> Cluster | None:
    """The cluster that the notebook has made, in the registry of this runner."""
    from ....client import api

    alive = [model for model in api.list() if not model.state.ended]
    return api.connect(alive[0].id) if alive else None
