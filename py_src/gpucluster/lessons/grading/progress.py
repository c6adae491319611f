"""What is graded so far, beside the results, so that an interrupted run continues where it stopped.

A file with one line for each notebook, which is only ever added to: whatever ends the command, all lines but the last
are whole. It tells what was hidden, as the results do, and is its owner's alone.
"""

import fcntl
import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..._version import __version__
from ...protocol.errors import GPUClusterError, InvalidRequest
from ..catalogue import Lesson
from .answer_key import AnswerKey
from .grades import ExerciseGrade, NotebookGrade
from .job import Job

_LESSONS = Path(__file__).resolve().parents[1]


class ProgressTaken(GPUClusterError):
    """Another run grades into the same results."""

    code = "progress_taken"


class Progress:
    """Results of earlier runs with the same output.

    Parameters
    ----------
    path : pathlib.Path or None
        Where they are written down; None: nowhere.
    again : bool, optional
        Forget them.

    Attributes
    ----------
    seed : int or None
        With which they were graded.
    tables : set of str
        Digests of the tables that were written.

    Raises
    ------
    InvalidRequest
        When the file is none of this account, or no such file.
    ProgressTaken
        When another run writes to it.
    """

    def __init__(self, path: Path | None = None, *, again: bool = False) -> None:
        self.seed: int | None = None
        self.tables: set[str] = set()
        self._found: dict[tuple[str, str], Any] = {}
        self._file: int | None = None
        if path is None:
            return
        self._file = _opened(path)
        for line in _content(self._file).splitlines():
            with suppress(ValueError, KeyError, TypeError):  # the last one, of an interrupted run
                self._read(json.loads(line))
        if again:
            os.ftruncate(self._file, 0)
            self.seed, self._found = None, {}
            for digest in self.tables:
                self._add({"table": digest})

    def begin(self, seed: int) -> None:
        """Write down with which seed the class is graded from now on."""
        if seed != self.seed:
            self.seed = seed
            self._add({"seed": seed})

    def key(self, lesson: str, fingerprint: str) -> AnswerKey | None:
        """Return what the answer key of a lesson got when everything was as it is now."""
        kept: Any = self._found.get((f"key {lesson}", fingerprint))
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            grades = {name: ExerciseGrade.model_validate(one) for name, one in kept["grades"].items()}
            return AnswerKey(grades, tuple(str(note) for note in kept["notes"]), bool(kept["every_cell"]))
        return None

    def notebook(self, job: Job, fingerprint: str) -> NotebookGrade | None:
        """Return what a notebook got when everything was as it is now."""
        kept = self._found.get((job.file, fingerprint))
        with suppress(ValueError, TypeError):
            found = NotebookGrade.model_validate(kept)
            return found.model_copy(update={"learner": job.learner, "lesson": job.lesson, "file": job.file})
        return None

    def add_key(self, lesson: str, fingerprint: str, key: AnswerKey) -> None:
        """Keep what an answer key got, unless it is to be tried again: where something failed."""
        if all(one.state == "passed" for one in key.grades.values()):
            grades = {name: one.model_dump(mode="json") for name, one in key.grades.items()}
            what = {"grades": grades, "notes": list(key.notes), "every_cell": key.every_cell}
            self._add({"of": f"key {lesson}", "fingerprint": fingerprint, "what": what})

    def add_notebook(self, fingerprint: str, result: NotebookGrade) -> None:
        """Keep what a notebook got, unless this machine was at fault and it was never run."""
        if result.protection is not None:
            self._add({"of": result.file, "fingerprint": fingerprint, "what": result.model_dump(mode="json")})

    def forget(self, files: Iterable[str]) -> None:
        """Let these notebooks be graded again."""
        for file in files:
            for found in [one for one in self._found if one[0] == file]:
                del self._found[found]

    def writes(self, table: str) -> None:
        """Record the digest of a table that is written, so that edited tables can be recognized."""
        digest = digest_of(table.encode())
        if digest not in self.tables:
            self.tables.add(digest)
            self._add({"table": digest})

    def others(self, files: Iterable[str]) -> list[str]:
        """Return the notebooks that were graded before and are none of these."""
        graded = {of for of, _ in self._found if not of.startswith("key ")}
        return sorted(graded - set(files))

    def close(self) -> None:
        """Let others write."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _read(self, line: dict[str, Any]) -> None:
        if "seed" in line:
            self.seed = int(line["seed"])
        elif "table" in line:
            self.tables.add(str(line["table"]))
        else:
            self._found[str(line["of"]), str(line["fingerprint"])] = line["what"]

    def _add(self, line: dict[str, Any]) -> None:
        if self._file is None:
            return
        # With a line break before it: an interrupted run may have left half a line.
        text = memoryview(b"\n" + json.dumps(line).encode())
        while text:
            text = text[os.write(self._file, text) :]
        os.fsync(self._file)


def digest_of(content: bytes) -> str:
    """Return a text that is another one for another table."""
    return hashlib.sha256(content).hexdigest()


def lesson_fingerprint(lesson: Lesson, *about: Any) -> str:
    """Return a text that changes when a lesson, what checks it or anything else that is named does."""
    digest = hashlib.sha256(repr((__version__, sys.version)).encode())
    left_out = {"grading", "notebooks", "answers", "lesson.py"}
    code = sorted(path for path in _LESSONS.rglob("*.py") if left_out.isdisjoint(path.relative_to(_LESSONS).parts))
    for path in [*sorted(path for path in lesson.folder.iterdir() if path.is_file()), *code]:
        digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    digest.update(json.dumps(about, sort_keys=True).encode())
    return digest.hexdigest()


def job_fingerprint(job: Job, of_lesson: str) -> str:
    """Return a text that changes when a notebook does, or how it is graded."""
    about = json.dumps([of_lesson, job.lesson, sorted(job.places.items()), job.every_cell]).encode()
    return hashlib.sha256(hashlib.sha256(job.notebook).digest() + about).hexdigest()


def _opened(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        file = os.open(path, flags, 0o600)
    except OSError as error:
        raise InvalidRequest(f"{path}, which records the grading, cannot be used: {error.strerror}.") from None
    about = os.fstat(file)
    if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o022 or about.st_nlink > 1:
        os.close(file)
        raise InvalidRequest(
            f"{path} records what is already graded, and others can write to it: remove it, or choose another --out."
        )
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise ProgressTaken(
            f"Another run writes its results beside {path}. Wait for its end, or choose another --out."
        ) from None
    return file


def _content(file: int) -> bytes:
    with open(file, "rb", closefd=False) as opened:
        opened.seek(0)
        return opened.read()
