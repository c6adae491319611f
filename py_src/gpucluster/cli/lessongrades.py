"""``gpucluster lessons grade``: grade the notebooks of a class."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..lessons.copies import known_lesson
from ..protocol.errors import GPUClusterError, InvalidRequest
from ..protocol.sizes import parse_size
from ..registry.replacement import replace_text
from .arguments import shown_path, whole_number

if TYPE_CHECKING:
    from ..lessons.grading import Grades, NotebookGrade

_OUT = "grades.csv"
_NOT_GRADED = 1


def grade_submissions(found: Namespace, say: Callable[[str], None]) -> tuple[str, Any, int]:
    """Grade a folder of submissions, and write the table and the page.

    Returns
    -------
    tuple
        Text for people, the same as plain data, and the exit code.
    """
    from ..lessons.grading import Limits, find_submissions, grade, html_report, table_text

    lesson = getattr(found, "lesson", None)
    limits = Limits(
        seconds=whole_number(getattr(found, "seconds", "300"), "--seconds", 10, 7200),
        memory_bytes=_memory(getattr(found, "memory", "4 GiB")),
    )
    seed = getattr(found, "seed", None)
    table = _result(getattr(found, "out", _OUT))
    page = _result(getattr(found, "report", None) or str(table.with_suffix(".html")))
    submissions = find_submissions(Path(found.submissions), known_lesson(lesson).id if lesson else None)
    lines = _Lines(say, shown=not sys.stdout.isatty() and not getattr(found, "json", False))

    def keep(results: Grades) -> None:
        try:
            _write(table, table_text(results))
            _write(page, html_report(results))
        except OSError as error:
            raise GPUClusterError(f"The results cannot be written: {error}.") from error
        lines.graded(results.submissions[-1])

    results = grade(
        submissions,
        limits,
        seed=whole_number(seed, "--seed", 0, 2**32 - 1) if seed is not None else None,
        unprotected=getattr(found, "unprotected", False),
        say=lines.say,
        keep=keep,
    )
    for note in results.notes:
        print(note, file=sys.stderr)
    done = sum(one.points for result in results.submissions for one in result.exercises)
    full = sum(one.of for result in results.submissions for one in result.exercises)
    unknown = sum(not one.exercises for one in results.submissions)
    besides = f" Not counted, as nobody knows of which lesson they are: {unknown}." if unknown else ""
    text = f"{len(results.submissions)} notebooks, {done:g} of {full:g} points.{besides} Written: {table} and {page}."
    return text, results.model_dump(mode="json"), _NOT_GRADED if _uncounted(results) else 0


class _Lines:
    """What happens, one line after the other, where the line that changes on a terminal is not seen."""

    def __init__(self, say: Callable[[str], None], *, shown: bool) -> None:
        self._say, self._shown = say, shown

    def say(self, text: str) -> None:
        """Say what begins."""
        self._say(text)
        self._print(text)

    def graded(self, result: NotebookGrade) -> None:
        """Say what came out."""
        from ..lessons.grading.report.summary import points_of

        self._print(f"  {result.status}, {points_of(result)}")

    def _print(self, text: str) -> None:
        if self._shown:
            print(text, flush=True)


def _uncounted(results: Grades) -> bool:
    """Whether the notebooks of a whole lesson were run and count for nobody."""
    ran = [one for one in results.submissions if one.exercises and one.status != "unreadable"]
    full: dict[str, float] = {}
    for one in ran:
        full[one.lesson] = full.get(one.lesson, 0) + one.of
    return 0 in full.values()


def _result(name: str) -> Path:
    """Return where results go, or say at once, and not after an hour of grading, that they cannot go there."""
    path = Path(name).expanduser().absolute()
    if not path.parent.is_dir():
        raise InvalidRequest(f"There is no folder {shown_path(path.parent)}, where the results are to be written.")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InvalidRequest(f"{shown_path(name)} cannot be written.")
    return path


def _write(path: Path, text: str) -> None:
    """Write the results. What is no plain file, such as ``/dev/stdout``, is written to and never replaced."""
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
        raise InvalidRequest("--memory: must lie between 512 MiB and 1 TiB.")
    return size
