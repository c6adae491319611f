"""A runner, as seen by the command: it gets a notebook, answers with grades, and nothing is left of it."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import psutil

from ...catalogue import NOTEBOOKS_VARIABLE, notebooks_folder
from ..grades import NotebookGrade
from ..job import Job
from ..sandbox.folder import TOKEN_VARIABLE, Sandbox

_SLACK_S = 60.0
_END_S = 15.0
_REMOVE_S = 120.0
_MOST_ANSWER = 32 * 2**20


def grade_in_runner(job: Job) -> NotebookGrade:
    """Return what a runner of its own finds; where that cannot begin, dies or is late, a result that says so."""
    failed = NotebookGrade(learner=job.learner, lesson=job.lesson, file=job.file, status="stopped")
    try:
        result = NotebookGrade.model_validate_json(_answer(job))
    except subprocess.TimeoutExpired:
        failed.notes = ["It was ended, as it did not finish in time."]
    except OSError as error:  # of this machine: it is no reason to leave the rest of the class without grades
        failed.notes = [f"What grades it could not be started: {error.strerror or error}."]
    except ValueError:
        failed.notes = ["The process that graded it has died."]
    else:
        # Who it belongs to is known here; whatever happened over there does not change it.
        return result.model_copy(update={"learner": job.learner, "lesson": job.lesson, "file": job.file})
    return failed


def _answer(job: Job) -> str:
    """What a runner answers that has a folder of its own; nothing is left of either."""
    root = Path(tempfile.mkdtemp(prefix="gg"))
    sandbox = Sandbox(root, secrets.token_hex(16))
    try:
        sandbox.prepare()
        environment = sandbox.environment()
        environment[NOTEBOOKS_VARIABLE] = str(notebooks_folder())  # the runner sees the solutions; the kernel does not
        return _ask_runner(job, environment)
    finally:
        _end_marked(sandbox.token)
        _remove(root)


def _ask_runner(job: Job, environment: dict[str, str]) -> str:
    command = [sys.executable, "-m", "gpucluster.lessons.grading.runner"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
        encoding="utf-8",
        start_new_session=True, cwd="/",
    ) as runner:  # fmt: skip
        try:
            text, _ = runner.communicate(job.text(), timeout=job.limits.seconds + _SLACK_S)
        except BaseException:  # Ctrl-C too: nothing is left running
            runner.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                runner.wait(_END_S)
            runner.kill()
            raise
    if len(text) > _MOST_ANSWER:
        raise ValueError("the answer is too large")
    return text


def _remove(root: Path) -> None:
    """Remove a folder, however deep a submission has made it: `shutil.rmtree` calls itself for each level."""
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(["rm", "-rf", "--", str(root)], stderr=subprocess.DEVNULL, timeout=_REMOVE_S, check=False)


def _end_marked(token: str) -> None:
    """Kill what a runner that died has left: its processes carry the token in their environment."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.uids().real == os.getuid() and process.environ().get(TOKEN_VARIABLE) == token:
                process.kill()
