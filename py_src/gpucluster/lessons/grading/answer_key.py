"""The answer key, graded before the class: it shows what can be checked on this machine, and where."""

from dataclasses import dataclass

from ...operating_system.processes import namespaces_of
from ..catalogue import find_lesson
from .grades import INSIDE_NOTE, ExerciseGrade, NotebookGrade
from .job import Job, Limits, Place, Sandboxing
from .notebooks import read_file
from .runner.process import Runners, grade_in_runner

INSIDE = frozenset(
    {
        *("01.4", "06.6", "06.9", "08.3", "08.11", "09.1", "09.2", "09.3", "09.4", "09.7", "09.8", "09.9"),
        *("10.3", "12.7", "13.4", "13.6", "16.3"),
    }
)
"""Exercises that are not even tried from outside.

What the learner writes is sent to workers as it is, or the check hands over a function that counts its calls, a
database, or an object that tells where in memory its numbers are; or it looks at NumPy's own random numbers.
"""
_KEY_FACTOR = 3
_MUCH = 0.8
"""Part of the memory that leaves too little for answers that are right and not as thrifty as the key."""
_MORE_TIME = "allow more with --seconds, or grade on a less busy machine"
_REMEDIES = {
    "time": f"It ran out of time: {_MORE_TIME}",
    "memory": "It ran out of memory: allow more with --memory",
    "processes": "It started more processes than are allowed",
    "threads": "It started more threads than are allowed",
    "stopped": "Its kernel or its runner ended early",
}


@dataclass(frozen=True)
class AnswerKey:
    """What the solution of a lesson gets on this machine.

    Attributes
    ----------
    grades : dict
        One grade per exercise. One that has not "passed" gives no one points; its message is the reason.
    notes : tuple of str
        What is to be said about the lesson.
    every_cell : bool
        Whether every cell of the lesson has to run, as it does not pass otherwise.
    """

    grades: dict[str, ExerciseGrade]
    notes: tuple[str, ...]
    every_cell: bool = False


def grade_key(
    lesson: str,
    limits: Limits,
    seed: int,
    *,
    unprotected: bool = False,
    sandboxing: Sandboxing | None = None,
    runners: Runners | None = None,
    every_cell: bool = False,
) -> AnswerKey:
    """Grade the answer key: from outside, and what does not pass so once more from inside.

    Parameters
    ----------
    lesson : str
        Number of the lesson.
    limits : Limits
        What a learner's notebook may use. The key gets more time, so that it shows how much a right one takes.
    seed : int
        Seed of the hidden inputs.
    unprotected : bool, optional
        Grade also on a machine that cannot hold notebooks back.
    sandboxing : Sandboxing, optional
        In what kind of sandbox, as the class is; left out: in none.
    runners : Runners, optional
        Those of the same class.
    every_cell : bool, optional
        Run all cells at once; else that is tried where the key does not pass without.
    """
    known = find_lesson(lesson)
    assert known is not None
    numbers = [exercise.id for exercise in known.exercises]
    more = limits.model_copy(
        update={"seconds": _KEY_FACTOR * limits.seconds, "cell_seconds": _KEY_FACTOR * limits.cell_seconds}
    )
    job = Job(
        notebook=read_file(known.solution_notebook), learner="", lesson=known.id, seed=seed, limits=more, places={},
        unprotected=unprotected, sandboxing=sandboxing or Sandboxing(), namespaces=namespaces_of(),
        every_cell=every_cell,
    )  # fmt: skip
    found, result, every_cell = _run(numbers, job, runners)
    failed = [number for number in numbers if not _passed(found.get(number))]
    passed = [found[number] for number in numbers if number not in failed]
    slow = [one for one in passed if one.seconds > limits.cell_seconds]
    late = "The answer key itself takes longer here than learners are allowed to."
    ungraded = {one.id: one.model_copy(update={"state": "ungraded", "message": late}) for one in slow}
    said = [*_where(found), *_why(found, failed, result), *_too_slow(result, limits, slow)]
    if result.peak_bytes > _MUCH * limits.memory_bytes:
        taken, had = (size / 2**30 for size in (result.peak_bytes, limits.memory_bytes))
        said.append(
            f"the answer key itself took {taken:.1f} GiB of the {had:.1f} GiB that a learner has, and a right answer "
            "may take more: allow more with --memory."
        )
    return AnswerKey(found | ungraded, tuple(f"Lesson {lesson}: {sentence}" for sentence in said), every_cell)


def _run(numbers: list[str], job: Job, runners: Runners | None) -> tuple[dict[str, ExerciseGrade], NotebookGrade, bool]:
    """Grade the solution, again where that is of use.

    Returns
    -------
    tuple of dict, NotebookGrade and bool
        The better grade of each exercise, the last run, and whether that has run every cell.
    """
    places: dict[str, Place] = {number: "inside" for number in numbers if number in INSIDE}
    found: dict[str, ExerciseGrade] = {}
    for every_cell in (True, True) if job.every_cell else (False, False, True):
        result = grade_in_runner(job.model_copy(update={"places": places, "every_cell": every_cell}), runners)
        for one in result.exercises:
            if not _passed(found.get(one.id)):
                found[one.id] = one
        again = [number for number in numbers if not _passed(found.get(number))]
        if not again:
            break
        # The last run checks everything in the place where it is checked for the class: so it takes a learner's time.
        places = {one.id: one.place for one in found.values()} | dict.fromkeys(again, "inside")
    return found, result, every_cell


def _passed(one: ExerciseGrade | None) -> bool:
    return one is not None and one.state == "passed"


def _where(found: dict[str, ExerciseGrade]) -> list[str]:
    """Which exercises are checked inside the learner's kernel."""
    inside = [one.id for one in found.values() if one.place == "inside" and _passed(one)]
    names = ", ".join(inside)
    return [f"{INSIDE_NOTE}, as it cannot be done from outside: {names}."] if inside else []


def _why(found: dict[str, ExerciseGrade], failed: list[str], result: NotebookGrade) -> list[str]:
    """Which exercises fail, with what happened to the whole notebook, and what the first of them shows."""
    if not failed:
        return []
    said = [f"{_REMEDIES[result.status]}.", *result.notes] if result.status in _REMEDIES else result.notes
    first = found.get(failed[0])
    wrong = [one for one in first.findings if not one.passed] if first is not None else []
    shown = f"{wrong[0].expected}: {wrong[0].observed}" if wrong else first.message if first is not None else ""
    reasons = " ".join([*said[:3], *([f"{failed[0]}: {shown[:300]}"] if shown else [])])
    names = ", ".join(failed)
    return [f"the answer key does not pass here, so these exercises do not count: {names}. {reasons}".rstrip()]


def _too_slow(result: NotebookGrade, limits: Limits, slow: list[ExerciseGrade]) -> list[str]:
    """What a right notebook takes here, where learners have less: they would lose points for the machine."""
    longest = max([result.longest_seconds, *(one.seconds for one in slow)])
    taken = []
    if result.seconds > limits.seconds:
        taken.append(f"{result.seconds:g} s of the {limits.seconds:g} s that a learner has")
    if longest > limits.cell_seconds:
        taken.append(f"{longest:g} s of {limits.cell_seconds:g} s for one cell or check")
    if not taken:
        return []
    names = ", ".join(one.id for one in slow)
    skipped = f" These exercises do not count, because the key took too long for them: {names}." if slow else ""
    return [f"the answer key itself took {' and '.join(taken)}: {_MORE_TIME}.{skipped}"]
