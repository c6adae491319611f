"""Judging the answers of a notebook from outside of its kernel."""

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
from ..grades import ExerciseGrade, Place, Property
from ..remote.objects import Kernel
from ..remote.values import plain_text

if TYPE_CHECKING:
    from distributed import Client

NO_CLUSTER = "The notebook had no cluster to check it on."
_MOST_TEXT = 1_500


class RefereeExamination(Examination):
    """An examination that connects to the notebook's cluster only when a check asks for it."""

    _own: Any = None

    @property
    def client(self) -> Client:
        """A client of the referee's own."""
        if self._own is None:
            cluster = _cluster()
            if cluster is None:
                raise NeedsCluster
            self._own = cluster.get_client()
        own: Client = self._own
        return own

    def close(self) -> None:
        """Disconnect."""
        if self._own is not None:
            self._own.close()


def judge(
    kernel: Kernel, exercise: str, seed: int, place: Place, solutions: Mapping[str, str] | None = None
) -> ExerciseGrade | None:
    """Return what an exercise gets; whatever the learner's code does, this returns.

    With solutions of earlier exercises, these take the place of the learner's own for the check; where the exercise
    uses none of them, the answer is None.
    """
    grade = ExerciseGrade(id=exercise, title=title_of(exercise), place=place)
    if solutions is None:
        return _judged(kernel, grade, seed)
    try:
        lent = [number for number in solutions if number in kernel.ask("lend", exercise, dict(solutions))]
    except Exception:  # a kernel that cannot do that keeps what it has
        return None
    if not lent:
        return None
    grade = _judged(kernel, grade, seed)
    grade.message = f"{lent_sentence(lent)} {grade.message}".strip()[:_MOST_TEXT]
    return grade


def _judged(kernel: Kernel, grade: ExerciseGrade, seed: int) -> ExerciseGrade:
    exercise, place = grade.id, grade.place
    try:
        if place == "inside":
            return _judged_inside(grade, kernel.ask("inside", exercise, seed))
        return _judged_outside(grade, kernel, seed)
    except Exception as error:  # a check that trips over an odd answer has not passed
        grade.state, grade.points = "failed", 0
        grade.message = plain_text(f"The check could not finish: {type(error).__name__}: {error}")[:_MOST_TEXT]
        return grade


def _judged_outside(grade: ExerciseGrade, kernel: Kernel, seed: int) -> ExerciseGrade:
    known = find_exercise(grade.id)
    if known is None:
        grade.state, grade.of, grade.message = "ungraded", 0, "There is no check for this exercise."
        return grade
    answers = kernel.answers(list(known.answers))
    if any(answer is Ellipsis for answer in answers):
        grade.state = "not_yet"
        return grade
    exam = RefereeExamination(np.random.default_rng(seed))
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
        return _graded(grade, _findings(exam), complete=False)
    except Halt:
        pass
    except Exception as error:
        exam.expect(USABLE, False, describe_error(error))
    finally:
        exam.close()
    return _graded(grade, _findings(exam))


def _judged_inside(grade: ExerciseGrade, record: Any) -> ExerciseGrade:
    if record["state"] == "not_yet":
        grade.state = "not_yet"
        return grade
    if record.get("wrong_passes"):
        grade.state = "tampered"
        grade.message = "Answers that are wrong for certain pass in this kernel as well: something was changed."
        return grade
    unavailable = record["state"] == "unavailable"
    grade.message = NO_CLUSTER if unavailable else plain_text(str(record.get("message", "")))[:_MOST_TEXT]
    findings = [(str(one["expected"]), one["passed"] is True, str(one["observed"])) for one in record["findings"]]
    return _graded(grade, findings, complete=record["state"] == "passed")


def _findings(exam: Examination) -> list[tuple[str, bool, str]]:
    return [(one.expected, one.passed, one.observed) for one in exam.findings]


def _graded(grade: ExerciseGrade, findings: list[tuple[str, bool, str]], *, complete: bool = True) -> ExerciseGrade:
    grade.findings = [
        Property(expected=plain_text(expected)[:_MOST_TEXT], passed=passed, observed=plain_text(observed)[:_MOST_TEXT])
        for expected, passed, observed in findings[:200]
    ]
    passed = complete and bool(grade.findings) and all(one.passed for one in grade.findings)
    grade.state = "passed" if passed else "failed"
    grade.points = grade.of if passed else 0
    return grade


def _cluster() -> Any:
    """The cluster that the notebook has made, in the registry of this warden."""
    from ....client import api

    alive = [model for model in api.list() if not model.state.ended]
    return api.connect(alive[0].id) if alive else None
