"""One submission in a process of its own: ``python -m gpucluster.lessons.grading.warden`` with a job on standard input.

The warden runs the notebook, lets the referee judge, writes the result to standard output and ends everything that the
notebook has started.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from ..catalogue import find_lesson
from ..hints import title_of
from . import landlock
from .cage import TOKEN_VARIABLE, Cage, confine, limit
from .job import Job
from .model import ExerciseGrade, NotebookGrade
from .plan import Step, steps_of
from .session import KernelEnded, Session
from .submissions import read_notebook
from .values import plain_text
from .watch import Watch, adopt_orphans, close_memory, end_all

_MOST_KERNELS = 4
_MOST_NOTES = 20


def work(job: Job, root: Path) -> NotebookGrade:
    """Grade one notebook."""
    result = NotebookGrade(learner=job.learner, lesson=job.lesson, file=job.file)
    lesson = find_lesson(job.lesson)
    assert lesson is not None
    began = time.monotonic()
    try:
        notebook = read_notebook(job.path)
    except ValueError as error:
        result.status, result.notes = "unreadable", [f"The notebook {error}."]
        return result
    cage = Cage(root, os.environ[TOKEN_VARIABLE], tuple(job.hidden))
    steps = steps_of(notebook, lesson, read_notebook(lesson.notebook))
    limit(job.limits)
    confined = confine(root, signals=True)
    watch = Watch(job.limits)
    watch.start()
    try:
        result.exercises = _run(job, cage, steps, watch, result)
    finally:
        watch.stop()
        ended = end_all()
    if not ended:
        result.notes.append("Processes that this notebook started could not all be ended, and may still run.")
    if open_folders := landlock.not_hidden(cage.closed()):
        result.notes.append(
            f"{len(open_folders)} folders that the notebook should not read could not be closed, as a folder above "
            "them cannot be listed by this account."
        )
    if not confined:
        result.notes.append("This system has no Landlock: the notebook could write to files of this account.")
    if watch.exceeded is not None:
        result.status = watch.exceeded
    result.seconds, result.peak_bytes = round(time.monotonic() - began, 1), watch.peak_bytes
    return result


def _run(job: Job, cage: Cage, steps: list[Step], watch: Watch, result: NotebookGrade) -> list[ExerciseGrade]:
    """Run all cells. After a cell that kills its kernel, begin anew without that cell; what is judged stays judged."""
    judged: dict[str, ExerciseGrade] = {}
    deadly: set[int] = set()
    for _ in range(_MOST_KERNELS):
        number = -1
        try:
            session = Session(cage, job.limits, watch)
        except Exception as error:
            _note(result, f"The kernel did not start: {error}.")
            break
        try:
            for number, step in enumerate(steps):
                if number not in deadly and step.code.strip():
                    outcome = session.run(step.code)
                    if outcome.error:
                        _note(result, f"Cell {number + 1}: {outcome.error}")
                for exercise in step.judged:
                    if exercise not in judged:
                        place = job.places.get(exercise, "outside")
                        judged[exercise] = session.judge(exercise, job.seed, place)
            break
        except Exception as error:  # whatever a hostile kernel makes the client trip over; what is judged stays judged
            if watch.exceeded is not None:
                result.status = watch.exceeded
                break
            result.status = "stopped"
            what = (
                str(error) if isinstance(error, KernelEnded) else f"the kernel sent nonsense ({type(error).__name__})"
            )
            _note(result, f"Cell {number + 1}: {what}; begun anew without it.")
            deadly.add(number)
        finally:
            session.close()
    return [judged.get(exercise) or _not_reached(exercise) for step in steps for exercise in step.judged]


def _not_reached(exercise: str) -> ExerciseGrade:
    return ExerciseGrade(id=exercise, title=title_of(exercise), message="The notebook was ended before this exercise.")


def _note(result: NotebookGrade, text: str) -> None:
    if len(result.notes) < _MOST_NOTES:
        result.notes.append(plain_text(text)[:600])


def _end(*_: Any) -> None:
    end_all()
    os._exit(1)


def main() -> None:
    """Grade the job on standard input."""
    job = Job.of(sys.stdin.read())
    # The answer goes to a copy of standard output, which no process below us has.
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    adopt_orphans()
    close_memory()
    signal.signal(signal.SIGTERM, _end)
    root = Path(os.environ["TMPDIR"]).parent
    result = work(job, root)
    answer.write(result.model_dump_json())
    answer.close()


if __name__ == "__main__":
    main()
