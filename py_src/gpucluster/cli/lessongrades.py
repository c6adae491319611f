"""``gpucluster lessons grade``: grade the notebooks of a class."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..lessons.copies import known_lesson
from ..protocol.errors import GPUClusterError, InvalidRequest
from ..protocol.sizes import parse_size
from .arguments import whole_number

_OUT = "grades.csv"


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
        memory_bytes=_memory(getattr(found, "memory", "3 GiB")),
    )
    seed = getattr(found, "seed", None)
    table = Path(getattr(found, "out", _OUT)).expanduser()
    page = Path(getattr(found, "report", table.with_suffix(".html"))).expanduser()
    for path in (table, page):
        if not path.absolute().parent.is_dir():
            raise InvalidRequest(f"There is no folder {path.absolute().parent}, where the results are to be written.")
    submissions = find_submissions(Path(found.submissions), known_lesson(lesson).id if lesson else None)
    results = grade(
        submissions,
        limits,
        seed=whole_number(seed, "--seed", 0, 2**32 - 1) if seed is not None else None,
        say=say,
    )
    try:
        table.write_text(table_text(results), encoding="utf-8", newline="")
        page.write_text(html_report(results), encoding="utf-8")
    except OSError as error:
        raise GPUClusterError(f"The results cannot be written: {error}.") from error
    done = sum(one.points for result in results.submissions for one in result.exercises)
    full = sum(one.of for result in results.submissions for one in result.exercises)
    text = f"{len(results.submissions)} notebooks, {done:g} of {full:g} points. Written: {table} and {page}."
    return text, results.model_dump(mode="json"), 0


def _memory(text: str) -> int:
    try:
        size = parse_size(text)
    except ValueError as error:
        raise InvalidRequest(f"--memory: {error}.") from None
    if not isinstance(size, int) or not 512 * 2**20 <= size <= 2**40:
        raise InvalidRequest("--memory: must lie between 512 MiB and 1 TiB.")
    return size
