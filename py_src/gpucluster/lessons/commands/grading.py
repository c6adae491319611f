"""``gpucluster lessons grade`` and ``marks``: grade the notebooks of a class, and make marks of the grades."""

from __future__ import annotations

import os
import sys
import threading
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...cli.arguments import did_you_mean, shown, shown_path, whole_number
from ...protocol.errors import GPUClusterError, InvalidRequest
from ...protocol.plain_text import counted
from ...protocol.sizes import parse_size
from ...registry.replacement import replace_text
from ..catalogue import find_lesson
from ..copies import known_lesson
from .declarations import KEPT, SANDBOXES

if TYPE_CHECKING:
    from ..grading import Grades, NotebookGrade, Progress, Sandboxing, Submission

_OUT = "grades.csv"
_NOT_GRADED = 1
_MOST_JOBS = 64
_WITH_IMAGE = ("apptainer", "container")


def grade_submissions(found: Namespace, say: Callable[[str], None]) -> tuple[str, Any, int]:
    """Grade a folder of submissions, and write the table and the page.

    Returns
    -------
    tuple
        Text for people, the same as plain data, and the exit code.
    """
    from ..grading import (
        Limits,
        Progress,
        exercise_table_text,
        file_names,
        find_submissions,
        grade,
        html_report,
        learner_page,
        missing_notes,
        repeated_notes,
        table_text,
    )
    from ..grading.sandbox.kinds import notebooks_at_a_time

    lesson = getattr(found, "lesson", None)
    limits = Limits(
        seconds=whole_number(getattr(found, "seconds", "300"), "--seconds", 10, 7200),
        memory_bytes=_memory(getattr(found, "memory", "4 GiB")),
    )
    seed = getattr(found, "seed", None)
    table = _result(getattr(found, "out", _OUT))
    page = _result(getattr(found, "report", None) or str(table.with_suffix(".html")))
    properties = _result(found.exercises) if getattr(found, "exercises", None) else None
    pages = _folder(found.feedback, Path(found.submissions)) if getattr(found, "feedback", None) else None
    kept_in = _beside(table)
    record = kept_in.with_suffix(".json") if kept_in is not None else None
    if record == table:
        raise InvalidRequest("--out: the table is CSV; the same results as JSON are written beside it.")
    submissions = find_submissions(Path(found.submissions), known_lesson(lesson).id if lesson else None)
    jobs = getattr(found, "jobs", None)
    jobs = whole_number(jobs, "--jobs", 1, _MOST_JOBS) if jobs is not None else notebooks_at_a_time(limits)
    lines = _Lines(say, shown=not sys.stdout.isatty() and not getattr(found, "json", False))
    sandboxing = _sandboxing(found, lines.say)

    names = file_names(one.learner for one in submissions)

    def keep(results: Grades, last: NotebookGrade) -> None:
        try:
            _keep_changed(table, progress)
            text = table_text(results)
            progress.writes(text)
            _write(table, text)
            _write(page, html_report(results))
            if record is not None:
                replace_text(record, results.model_dump_json(), durable=True)
            if properties is not None:
                _write(properties, exercise_table_text(results))
            if pages is not None:
                replace_text(pages / names[last.learner], learner_page(results, last.learner), durable=True)
        except OSError as error:
            raise GPUClusterError(f"The results cannot be written: {error}.") from error
        lines.graded(last)

    again = getattr(found, "again", False)
    progress = Progress(kept_in, again=again)
    if (learner := getattr(found, "learner", None)) is not None:
        progress.forget(_files_of(learner, submissions))
    try:
        results = grade(
            submissions,
            limits,
            seed=whole_number(seed, "--seed", 0, 2**32 - 1) if seed is not None else None,
            sandboxing=sandboxing,
            unprotected=getattr(found, "unprotected", False),
            jobs=jobs,
            progress=progress,
            every_cell=getattr(found, "every_cell", False),
            notes=[*missing_notes(Path(found.submissions)), *repeated_notes(submissions)],
            say=lines.say,
            keep=keep,
        )
    except KeyboardInterrupt:
        command = "The same command, without --again," if again else "The same command"
        graded = f"What is graded stays in {shown_path(table)}. {command} continues from there."
        print(f"Interrupted. {graded if table.exists() else 'Nothing is graded yet.'}", file=sys.stderr)
        raise
    finally:
        progress.close()
    for note in [*results.notes, *_left_over(progress, results, pages, names.values())]:
        print(note, file=sys.stderr)
    done = sum(one.points for result in results.submissions for one in result.exercises)
    full = sum(one.of for result in results.submissions for one in result.exercises)
    unknown = sum(not one.exercises for one in results.submissions)
    besides = f" Not counted, because their lesson is unknown: {unknown}." if unknown else ""
    *files, last = [str(file) for file in (table, page, record, properties, pages) if file is not None]
    written = f"{', '.join(files)} and {last}"
    text = f"{len(results.submissions)} notebooks, {done:g} of {full:g} points.{besides} Written: {written}."
    return text, results.model_dump(mode="json"), _NOT_GRADED if _uncounted(results) else 0


def write_marks(found: Namespace) -> tuple[str, Any]:
    """Write the marks of a class; return text for people, and the same as plain data."""
    from pydantic import ValidationError

    from ..grading import Grades, Rules, canvas_text, marks_of, marks_text, moodle_text

    source = Path(found.grades)
    try:
        grades = Grades.model_validate_json(source.read_bytes())
    except OSError as error:
        hint = " 'gpucluster lessons grade' writes it." if isinstance(error, FileNotFoundError) else ""
        raise InvalidRequest(f"{shown_path(source)} cannot be read: {error.strerror}.{hint}") from None
    except ValidationError:
        raise InvalidRequest(
            f"{shown_path(source)} has no grades: pass the .json file that 'gpucluster lessons grade' has written."
        ) from None
    texts = {"csv": marks_text, "moodle": moodle_text, "canvas": canvas_text}
    out = _result(found.out)
    deadline = getattr(found, "deadline", None)
    rules = Rules(
        keep=_one_of(found.keep, "--keep", KEPT),
        deadline=_deadline(deadline) if deadline else None,
        weights=dict(_weight(text) for text in getattr(found, "weights", "").split(",") if text),
        partial=getattr(found, "partial", False),
    )
    marks = marks_of(grades, rules)
    _write(out, texts[_one_of(found.format, "--format", tuple(texts))](marks))
    late = sum(bool(one.late) for one in marks)
    besides = f" Late: {late}." if rules.deadline is not None else ""
    most = marks[0].of if marks else 0
    text = f"{counted(len(marks), 'learner')}, out of {most:g} points.{besides} Written: {out}."
    return text, [{**asdict(one), "total": one.total, "percent": one.percent} for one in marks]


def _one_of(value: str, option: str, allowed: Sequence[str]) -> Any:
    if value not in allowed:
        raise InvalidRequest(f"{option}: must be one of {', '.join(allowed)}, not '{shown(value)}'.")
    return value


def _deadline(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise InvalidRequest(f"--deadline: must be a time such as 2027-03-01T18:00, not '{shown(text)}'.") from None


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    lesson, _, exercise = name.partition(".")
    known = find_lesson(lesson)
    exercises = {one.id for one in known.exercises} if known is not None else set()
    try:
        factor = float(number)
    except ValueError:
        factor = -1.0
    if known is None or (exercise and name not in exercises) or not 0 <= factor <= 1000:
        raise InvalidRequest(f"--weights: must be lessons or exercises such as 06=2 or 06.3=0.5, not '{shown(text)}'.")
    return name, factor


def _files_of(learner: str, submissions: Sequence[Submission]) -> list[str]:
    files = [one.file for one in submissions if one.learner == learner]
    if not files:
        like = did_you_mean(learner, {one.learner for one in submissions})
        raise InvalidRequest(f"--learner: no notebook of '{shown(learner)}' was handed in.{like}")
    return files


class _Lines:
    """What happens, one line after the other, where the line that changes on a terminal is not seen."""

    def __init__(self, say: Callable[[str], None], *, shown: bool) -> None:
        self._say, self._shown, self._lock = say, shown, threading.Lock()

    def say(self, text: str) -> None:
        """Say what begins."""
        with self._lock:
            self._say(text)
        self._print(text)

    def graded(self, result: NotebookGrade) -> None:
        """Say what came out."""
        from ..grading.report import points_of

        self._print(f"  {result.learner}, lesson {result.lesson}: {result.status}, {points_of(result)}")

    def _print(self, text: str) -> None:
        if self._shown:
            with self._lock:  # several notebooks at a time
                print(text, flush=True)


def _sandboxing(found: Namespace, say: Callable[[str], None]) -> Sandboxing:
    """Return the kind of sandbox that was asked for, or the best one, once it has been tried."""
    from ..grading import Sandboxing
    from ..grading.sandbox.protection import Unprotected
    from ..grading.sandbox.trying import choose

    wanted: Any = getattr(found, "sandbox", None) or "auto"
    image = getattr(found, "image", None) or ""
    _one_of(wanted, "--sandbox", SANDBOXES)
    if wanted in _WITH_IMAGE and not image:
        raise InvalidRequest(f"--sandbox {wanted}: name an image with --image.")
    try:
        tried = choose(wanted, image, say=say)
    except Unprotected:
        if getattr(found, "unprotected", False) and wanted in ("auto", "landlock"):
            return Sandboxing()
        raise
    say(f"Sandbox: {tried.protection}")
    return tried.sandboxing


def _beside(table: Path) -> Path | None:
    """Return where it is written down what is graded; nowhere when the table is not a regular file."""
    return None if table.exists() and not table.is_file() else table.resolve().with_suffix(".progress")


def _uncounted(results: Grades) -> bool:
    """Whether the notebooks of a whole lesson were run but give no one points."""
    ran = [one for one in results.submissions if one.exercises and one.status != "unreadable"]
    full: dict[str, float] = {}
    for one in ran:
        full[one.lesson] = full.get(one.lesson, 0) + one.of
    return 0 in full.values()


def _result(name: str) -> Path:
    """Return where results go, and make the folder.

    That they cannot go there is said at once, and not after an hour of grading.
    """
    path = Path(name).expanduser().absolute()
    if path.is_dir() or name.endswith(os.sep):
        raise InvalidRequest(f"{shown_path(name)} is a directory; specify a file name.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        where = shown_path(path.parent)
        raise InvalidRequest(f"{where}, the folder for the results, is not a folder: {error}.") from None
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InvalidRequest(f"{shown_path(name)} cannot be written.")
    return path


def _folder(name: str, submissions: Path) -> Path:
    """Return the folder for the pages of the learners, and make it where it is not there."""
    folder = Path(name).expanduser().absolute()
    root = submissions.expanduser().resolve()
    if root == folder.resolve() or root in folder.resolve().parents:
        raise InvalidRequest("--feedback: the pages cannot go into the folder of the submissions.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidRequest(f"--feedback: {shown_path(folder)} is not a writable folder: {error}.") from None
    if not os.access(folder, os.W_OK):
        raise InvalidRequest(f"--feedback: {shown_path(folder)} cannot be written.")
    return folder


def _keep_changed(table: Path, progress: Progress) -> None:
    """Keep a table that was not written by this command or was edited since, and report where."""
    from ..grading.progress import digest_of

    if not table.is_file() or not (content := table.read_bytes()) or digest_of(content) in progress.tables:
        return
    number, kept = 1, table.with_suffix(f".kept{table.suffix}")
    while kept.exists():
        number += 1
        kept = table.with_suffix(f".kept-{number}{table.suffix}")
    os.rename(table, kept)
    told = f"{shown_path(table)} has changed since this command wrote it: it is kept as {shown_path(kept)}."
    print(told, file=sys.stderr, flush=True)


def _left_over(progress: Progress, results: Grades, pages: Path | None, names: Iterable[str]) -> list[str]:
    """Say what earlier runs have graded that is not in these results."""
    from ..grading import others_pages

    said = []
    if others := progress.others(one.file for one in results.submissions):
        more = f" and {counted(len(others) - 1, 'other')}" if len(others) > 1 else ""
        said.append(f"Graded before and not in these results: {others[0]}{more}.")
    if pages is not None and (left := others_pages(pages, names)):
        said.append(
            f"{shown_path(pages)} has pages of earlier runs for learners who are not in this one: "
            f"{', '.join(left[:10])}."
        )
    return said


def _write(path: Path, text: str) -> None:
    """Write the results. Anything but a regular file, such as ``/dev/stdout``, is written to and never replaced."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8", newline="")
    else:
        replace_text(path.resolve(), text, durable=True)


def _memory(text: str) -> int:
    try:
        size = parse_size(text)
    except ValueError as error:
        raise InvalidRequest(f"--memory: {error}.") from None
    if not isinstance(size, int) or not 512 * 2**20 <= size <= 2**40:
        raise InvalidRequest("--memory: must be between 512 MiB and 1 TiB.")
    return size
