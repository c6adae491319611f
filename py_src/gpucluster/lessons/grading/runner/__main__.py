"""One submission in a process of its own: ``python -m gpucluster.lessons.grading.runner`` with a job on standard input.

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

from ...catalogue import find_lesson
from ..grades import NotebookGrade
from ..job import Job
from ..notebooks import read_notebook
from ..sandbox import landlock
from ..sandbox.folder import TOKEN_VARIABLE, Cage, limit
from ..sandbox.monitor import Watch, adopt_orphans, close_memory, end_all
from ..sandbox.protection import Unprotected, protect, refuse_too_little

_MUCH_LEFT = 64 * 2**20


def work(job: Job, root: Path) -> NotebookGrade:
    """Grade one notebook."""
    result = NotebookGrade(learner=job.learner, lesson=job.lesson, file=job.file)
    lesson = find_lesson(job.lesson)
    assert lesson is not None
    began = time.monotonic()
    try:
        notebook = read_notebook(job.path, job.root)
    except ValueError as error:
        result.status, result.notes = "unreadable", [f"The notebook {error}."]
        return result
    cage = Cage(root, os.environ[TOKEN_VARIABLE], tuple(job.hidden))
    limit(job.limits)
    result.protection = protect(root)
    if not job.unprotected:
        try:
            refuse_too_little(result.protection)
        except Unprotected as error:
            result.status, result.notes = "stopped", [str(error)]
            return result
    from .notebook_run import Rounds
    from .steps import steps_of  # numpy comes with it, and with that threads: only now, as they are to be restricted

    steps = steps_of(notebook, lesson, read_notebook(lesson.notebook))
    watch = Watch(job.limits)
    watch.start()
    try:
        Rounds(job, cage, steps, watch, result).run()
    finally:
        watch.stop()
        ended = end_all()
    if not ended:
        result.notes.append("Processes that this notebook started could not all be ended, and may still run.")
    if watch.shared_bytes > _MUCH_LEFT:
        result.notes.append(
            f"New files of this account take {watch.shared_bytes / 1e6:,.0f} MB in /dev/shm, which is memory. When no "
            "program of yours has made them, this notebook has: remove them."
        )
    if open_folders := landlock.not_hidden(cage.closed()):
        result.notes.append(
            f"{len(open_folders)} folders that the notebook should not read could not be closed, as a folder above "
            "them cannot be listed by this account."
        )
    if watch.exceeded is not None:
        result.status = watch.exceeded
    result.seconds, result.peak_bytes = round(time.monotonic() - began, 1), watch.peak_bytes
    return result


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
