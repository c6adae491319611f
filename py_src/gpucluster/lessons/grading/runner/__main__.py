"""One submission in its own process: ``python -m gpucluster.lessons.grading.runner`` with a job on standard input.

It restricts itself, runs the notebook in kernels that it restricts further, grades the answers, writes the result to
standard output and ends everything that the notebook has started.
"""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from ....operating_system import landlock
from ....operating_system.processes import adopt_orphans, close_memory
from ....operating_system.resources import SHARED_MEMORY
from ....protocol.plain_text import counted
from ...catalogue import find_lesson
from ..grades import NotebookGrade
from ..job import Job
from ..notebooks import notebook_in, read_notebook
from ..sandbox.folder import TOKEN_VARIABLE, Sandbox
from ..sandbox.kinds import keeper_of
from ..sandbox.monitor import ResourceMonitor
from ..sandbox.processes import end_all
from ..sandbox.protection import Unprotected, protect, refuse_too_little, set_limits

_MUCH_LEFT = 64 * 2**20


def run(job: Job, root: Path) -> NotebookGrade:
    """Restrict this process, then run and grade one notebook."""
    result = NotebookGrade(learner=job.learner, lesson=job.lesson, file=job.file)
    lesson = find_lesson(job.lesson)
    assert lesson is not None
    began = time.monotonic()
    try:
        notebook = notebook_in(job.notebook)
    except ValueError as error:
        result.status, result.notes = "unreadable", [f"The notebook {error}."]
        return result
    sandbox = Sandbox(root, os.environ[TOKEN_VARIABLE], tuple(job.closed_folders))
    set_limits(job.limits)
    # Before this process is restricted, and before it has threads.
    keeper = keeper_of(sandbox, job.sandboxing)
    result.protection = protect(root)
    result.protection.kind = job.sandboxing.kind
    if not job.unprotected and not job.sandboxing.apart:
        try:
            refuse_too_little(result.protection)
        except Unprotected as error:
            result.status, result.notes = "stopped", [str(error)]
            return result
    from .notebook_run import NotebookRun
    from .steps import steps_of  # numpy comes with it, and with that threads: only now, as they are to be restricted

    steps = steps_of(notebook, lesson, read_notebook(lesson.notebook), every_cell=job.every_cell)
    monitor = ResourceMonitor(job.limits, keeper)
    monitor.start()
    ended = False
    try:
        NotebookRun(job, sandbox, steps, monitor, result).run()
    except Unprotected as error:
        result.status, result.notes = "stopped", [str(error)]
    finally:
        monitor.stop()
        with suppress(OSError):  # what the keeper's process had goes with it
            ended = keeper.end_all()
        keeper.close()
    if not ended:
        result.notes.append("Processes that this notebook started could not all be killed, and may still run.")
    if monitor.shared_bytes > _MUCH_LEFT:
        result.notes.append(
            f"New files of this account take {monitor.shared_bytes / 1e6:,.0f} MB in {SHARED_MEMORY}, which is memory. "
            "If none of your programs made them, this notebook did: remove them."
        )
    if not job.sandboxing.apart and (open_folders := landlock.not_closable(sandbox.unreadable())):
        result.notes.append(
            f"{counted(len(open_folders), 'folder')} that the notebook should not read could not be closed, because a "
            "parent folder cannot be listed by this account."
        )
    if monitor.failure is not None:
        result.notes.append(f"It was stopped, as its usage could not be measured ({monitor.failure}).")
    result.status = monitor.exceeded or monitor.forgiven or result.status
    result.seconds, result.peak_bytes = round(time.monotonic() - began, 1), monitor.peak_bytes
    return result


def _end(_number: int, _frame: FrameType | None) -> None:
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
    if not job.sandboxing.apart:  # else all that it has started ends with it
        signal.signal(signal.SIGTERM, _end)
    root = Path(os.environ["TMPDIR"]).parent
    result = run(job, root)
    answer.write(result.model_dump_json())
    answer.close()


if __name__ == "__main__":
    main()
