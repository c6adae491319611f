"""Running one notebook to its end, in as many kernels as that takes: whatever dies, what is graded stays graded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from ....operating_system.processes import namespaces_of, separated
from ...catalogue import find_lesson
from ...checks import exercises
from ...hints import solution_of, title_of
from ..grades import ExerciseGrade, NotebookGrade, Property
from ..job import Job, Place
from ..remote.values import valid_text
from ..sandbox.folder import Sandbox
from ..sandbox.monitor import ResourceMonitor
from ..sandbox.protection import refuse_too_little
from .kernel_session import TOO_LONG, KernelEnded, KernelSession
from .steps import Step, bound_names, fingerprint

_MOST_KERNELS = 4
_MOST_NOTES = 20
_NO_PYTHON = re.compile(r"(SyntaxError|IndentationError|TabError):")
_CELLS_FILE = re.compile(r"\(\S+, line (\d+)\)")
"""What Python calls the cell, which says nothing to its author, and the line in it."""


class NotebookRun:
    """One notebook, to be run in one kernel after the other.

    Parameters
    ----------
    job : Job
        What to grade.
    sandbox : Sandbox
        Where the kernels run.
    steps : list of Step
        What to run, and which exercises to grade after it.
    monitor : ResourceMonitor
        Says when a limit was passed.
    result : NotebookGrade
        Gets the grades, and what is to be said about them.
    """

    def __init__(
        self, job: Job, sandbox: Sandbox, steps: list[Step], monitor: ResourceMonitor, result: NotebookGrade
    ) -> None:
        self._job, self._sandbox, self._steps, self._monitor, self._result = job, sandbox, steps, monitor, result
        self._grades: dict[str, ExerciseGrade] = {}
        self._deadly: set[int] = set()
        self._times: dict[str | None, float] = {}
        self._cell_failures: dict[str | None, Property] = {}

    def run(self) -> None:
        """Go through the notebook until that comes to an end, a limit is passed, or too many kernels have died."""
        for number in range(_MOST_KERNELS):
            if self._one_kernel(number) or not self._left() or not self._monitor.go_on():
                break
        if self._left():
            self._result.status = "stopped"
        wanted = [exercise for step in self._steps for exercise in step.graded]
        self._result.exercises = [self._grades.get(exercise) or self._not_reached(exercise) for exercise in wanted]
        for one in self._result.exercises:
            one.seconds = round(self._times.get(one.id, 0), 1)
            one.fingerprint = fingerprint(step.code for step in self._steps if step.exercise == one.id)
        self._result.longest_seconds = round(max(self._times.values(), default=0), 1)

    def _left(self) -> bool:
        """Whether there is anything that still has to be graded."""
        return any(exercise not in self._grades for step in self._steps for exercise in step.graded)

    def _one_kernel(self, number: int) -> bool:
        """Run all cells in a fresh kernel, without those that have killed one; return whether it got to the end."""
        try:
            session = KernelSession(self._sandbox, self._job.limits, self._monitor, number)
        except KernelEnded as error:
            self._note(f"The kernel did not start: {error}.")
            return False
        try:
            self._note_namespaces()
            return all(self._step(session, number, step) for number, step in enumerate(self._steps))
        finally:
            session.close()

    def _note_namespaces(self) -> None:
        """Write down which namespaces the first kernel has, while no learner's code has run yet.

        Raises
        ------
        Unprotected
            When that is too little.
        """
        had = self._result.protection
        if had is None or had.namespaces:
            return
        kernel = self._monitor.keeper.namespaces()
        had.namespaces = separated(kernel, self._job.namespaces)
        had.apart = bool(separated(kernel, namespaces_of()))
        if not self._job.unprotected:
            refuse_too_little(had)

    def _step(self, session: KernelSession, number: int, step: Step) -> bool:
        """Run one cell and grade what is to be graded there; return whether the kernel can go on."""
        try:
            if number not in self._deadly and step.code.strip():
                with self._timed(step.exercise):
                    outcome = session.run(step.code)
                if outcome.error and step.noted:
                    self._note(f"Cell {number + 1}: {outcome.error}")
                if outcome.error and step.written:
                    self._cell_failures[step.exercise] = self._cell_failure(outcome.error)
            for exercise in step.graded:
                if exercise not in self._grades:
                    place = self._job.places.get(exercise, "outside")
                    with self._timed(exercise):
                        self._grade(session, exercise, place)
                    if not session.alive or self._monitor.exceeded is not None:
                        # It was the answer, not the cell after it; as it is graded, the next kernel gets past it.
                        self._ended(f"The kernel ended in the check of {exercise}", "restarted")
                        return False
        except Exception as error:  # whatever a hostile kernel makes the client trip over
            nonsense = f"the kernel sent an invalid response ({type(error).__name__})"
            what = str(error) if isinstance(error, KernelEnded) else nonsense
            self._ended(f"Cell {number + 1}: {what}", "restarted without it")
            self._cell_failures[step.exercise] = self._cell_failure(what)
            self._deadly.add(number)
            return False
        return True

    def _grade(self, session: KernelSession, exercise: str, place: Place) -> None:
        """Grade an exercise; where it fails, once more with the solutions of earlier ones that got no point."""
        grade = session.grade(exercise, self._job.seed, place)
        self._grades[exercise] = grade
        lesson = find_lesson(self._job.lesson)
        order = [one.id for one in lesson.exercises] if lesson else []
        earlier = order[: order.index(exercise)] if exercise in order else []
        # Only of what is graded already: a submission may do with a solution what it likes.
        failed = [number for number in earlier if number in self._grades and self._grades[number].state != "passed"]
        solutions = {number: code for number in failed if (code := solution_of(number))}
        if grade.state in {"failed", "not_yet"} and solutions and session.alive:
            again = session.grade_with_solutions(exercise, self._job.seed, place, solutions)
            if again is not None and again.state != "not_yet":
                self._grades[exercise] = again
        if self._grades[exercise].state == "not_yet" and exercise in self._cell_failures:
            self._grades[exercise] = self._without_answer(self._grades[exercise])
        elif self._grades[exercise].state == "not_yet" and (told := self._written_later(exercise)):
            self._grades[exercise].message = told

    def _written_later(self, exercise: str) -> str:
        """Say in which cell an answer is that does not stand before its check; empty: in none."""
        place = next(number for number, step in enumerate(self._steps) if exercise in step.graded)
        known = next((one for one in exercises(self._job.lesson) if one.id == exercise), None)
        answers = known.answers if known is not None else ()
        for number, step in enumerate(self._steps[place + 1 :], start=place + 2):
            if name := next((name for name in answers if name in bound_names(step.code)), None):
                return (
                    f"'{name}' is in cell {number}, below this check. An answer is graded at the position of its check."
                )
        return ""

    def _ended(self, what: str, then: str) -> None:
        if self._monitor.exceeded in (None, "memory"):  # else the status says why, and nothing comes after it
            self._result.status = "stopped"
            self._note(f"{what}; {then}." if self._left() else f"{what}.")

    def _cell_failure(self, error: str) -> Property:
        """What went wrong in the cell of an exercise, as a property that does not hold."""
        expected = "The cell runs without an error"
        if _NO_PYTHON.match(error):
            expected, error = "The cell is valid Python", _CELLS_FILE.sub(r"(line \1)", error)
        elif error in TOO_LONG:
            expected = f"The cell ends within {self._job.limits.cell_seconds:g} s"
        return Property(expected=expected, passed=False, observed=valid_text(error))

    def _without_answer(self, grade: ExerciseGrade) -> ExerciseGrade:
        """The grade of an answer that is not there because its cell failed; it was not left empty."""
        return grade.model_copy(update={"state": "failed", "findings": [self._cell_failures[grade.id]]})

    def _not_reached(self, exercise: str) -> ExerciseGrade:
        grade = ExerciseGrade(id=exercise, title=title_of(exercise))
        if exercise in self._cell_failures:
            return self._without_answer(grade)
        grade.message = "The notebook was stopped before this exercise."
        return grade

    @contextmanager
    def _timed(self, exercise: str | None) -> Iterator[None]:
        began = monotonic()
        try:
            yield
        finally:
            self._times[exercise] = max(self._times.get(exercise, 0), monotonic() - began)

    def _note(self, text: str) -> None:
        if len(self._result.notes) < _MOST_NOTES:
            self._result.notes.append(valid_text(text)[:600])
