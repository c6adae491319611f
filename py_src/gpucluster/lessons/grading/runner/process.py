"""A runner, as seen by the command: it gets a notebook, answers with grades, and nothing is left of it."""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import psutil

from ..grades import NotebookGrade
from ..job import Job
from ..sandbox.folder import TOKEN_VARIABLE, Sandbox
from ..sandbox.kinds import beginning, end

_SLACK_S = 60.0
_END_S = 15.0
_REMOVE_S = 120.0
_MOST_ANSWER = 32 * 2**20
_COMMAND = [sys.executable, "-P", "-s", "-m", "gpucluster.lessons.grading.runner"]


class Runners:
    """The runners that are at work, so that they can be ended together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._working: set[subprocess.Popen[str]] = set()
        self.stopped = False

    def add(self, runner: subprocess.Popen[str]) -> None:
        """Remember a runner; when the others have been killed already, end it."""
        with self._lock:
            self._working.add(runner)
            if self.stopped:
                runner.send_signal(signal.SIGTERM)

    def remove(self, runner: subprocess.Popen[str]) -> None:
        """Forget a runner that has ended."""
        with self._lock:
            self._working.discard(runner)

    def stop(self) -> None:
        """End all of them, and whatever is started from now on."""
        with self._lock:
            self.stopped = True
            for runner in self._working:
                runner.send_signal(signal.SIGTERM)


def grade_in_runner(job: Job, runners: Runners | None = None) -> NotebookGrade:
    """Return what a runner of its own finds; if it cannot start, dies or times out, a result with the reason.

    Parameters
    ----------
    job : Job
        What to grade.
    runners : Runners, optional
        Those of the same class.
    """
    failed = NotebookGrade(learner=job.learner, lesson=job.lesson, file=job.file, status="stopped")
    try:
        result = NotebookGrade.model_validate_json(_answer(job, runners or Runners()))
    except subprocess.TimeoutExpired:
        failed.notes = ["It was killed, as it did not finish in time."]
    except OSError as error:  # of this machine: the rest of the class is still graded
        failed.notes = [f"Its grader could not be started: {error.strerror or error}."]
    except ValueError:
        failed.notes = ["The process that graded it has died."]
    else:
        # Its owner is known here; whatever happened over there does not change it.
        return result.model_copy(update={"learner": job.learner, "lesson": job.lesson, "file": job.file})
    return failed


def _answer(job: Job, runners: Runners) -> str:
    """Run a runner in its own folder and return its answer; both are removed."""
    # Without links: the path is the same in every sandbox.
    root = Path(tempfile.mkdtemp(prefix="gg")).resolve()
    sandbox = Sandbox(root, secrets.token_hex(16))
    try:
        sandbox.prepare()
        return _ask_runner(job, sandbox, runners)
    finally:
        end(sandbox, job.sandboxing)
        _end_marked(sandbox.token)
        _remove(root)


def _ask_runner(job: Job, sandbox: Sandbox, runners: Runners) -> str:
    begin = beginning(sandbox, job.sandboxing, job.limits)
    with subprocess.Popen(
        [*begin.before, *_COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=begin.environment, encoding="utf-8", start_new_session=True, cwd="/",
    ) as runner:  # fmt: skip
        runners.add(runner)
        try:
            text, _ = runner.communicate(job.text(), timeout=job.limits.seconds + _SLACK_S)
        except BaseException:  # Ctrl-C too: nothing is left running
            runner.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                runner.wait(_END_S)
            runner.kill()
            raise
        finally:
            runners.remove(runner)
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
