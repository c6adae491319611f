"""Reading a lesson's source: one jupytext percent file from which all notebooks are made.

Cells carry a kind as their first tag (``predict``, ``run``, ``exercise``, ``check``, ``hint-1`` to ``hint-3``,
``instructor``) and, where they belong to an exercise, its number: ``# %% tags=["exercise"] exercise="06.2"``.
A cell that others refer to has a name of its own, ``anchor="mean-of-means"``; ``06#mean-of-means`` leads to it.
What the learner is to write stands between the lines ``### BEGIN SOLUTION`` and ``### END SOLUTION``, or is the right
side of an assignment, or the guess of a ``predict``, in a line that ends with ``# SOLUTION``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..protocol.errors import GPUClusterError, MissingPackage

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
ASSIGNED = "# SOLUTION"
_ASSIGNED = re.compile(rf"^(\s*\w+ = ).*?()\s*{ASSIGNED}$")
_PREDICTED = re.compile(rf"^(\s*predict\(\"[^\"]+\", ).*(\))\s*{ASSIGNED}$")
_ANCHOR = re.compile(r"^[a-z][a-z0-9-]*$")
_HINT = re.compile(r"^hint-([1-3])$")


class LessonSourceError(GPUClusterError):
    """The source of a lesson is not in order."""

    code = "lesson_source"


@dataclass(frozen=True)
class SourceCell:
    """One cell of the source."""

    type: str
    text: str
    tags: tuple[str, ...] = ()
    exercise: str | None = None
    title: str | None = None
    anchor: str | None = None

    @property
    def hint(self) -> int | None:
        """Number of the hint that this cell is, if it is one."""
        for tag in self.tags:
            if match := _HINT.match(tag):
                return int(match[1])
        return None

    def learner_text(self) -> str:
        """Return the cell with each solution replaced by ``...``."""
        lines: list[str] = []
        inside = False
        for line in self.text.splitlines():
            mark = line.strip()
            if mark == BEGIN:
                inside = True
                lines.append(line[: len(line) - len(line.lstrip())] + "...")
            elif mark == END:
                inside = False
            elif not inside:
                lines.append(_PREDICTED.sub(r"\1...\2", _ASSIGNED.sub(r"\1...\2", line)))
        return "\n".join(lines)

    def solution_text(self) -> str:
        """Return the cell with the solution and without its marks."""
        lines = [line for line in self.text.splitlines() if line.strip() not in {BEGIN, END}]
        return "\n".join(line.removesuffix(ASSIGNED).rstrip() for line in lines)


@dataclass(frozen=True)
class LessonSource:
    """A lesson as its author wrote it."""

    id: str
    slug: str
    title: str
    minutes: int
    needs: str
    objectives: tuple[str, ...]
    cells: tuple[SourceCell, ...] = field(default=())

    def exercises(self) -> list[dict[str, Any]]:
        """Return number, title, hints and solution of each exercise, in order."""
        found: dict[str, dict[str, Any]] = {}
        for cell in self.cells:
            if cell.exercise is None:
                continue
            entry = found.setdefault(cell.exercise, {"id": cell.exercise, "title": "", "hints": [], "solution": ""})
            entry["title"] = cell.title or entry["title"]
            if cell.hint:
                entry["hints"].append(cell.text)
            elif "exercise" in cell.tags:
                entry["solution"] = "\n\n\n".join(filter(None, [entry["solution"], cell.solution_text()]))
        return list(found.values())


def read_source(path: Path) -> LessonSource:
    """Read and check a lesson's ``lesson.py``.

    Raises
    ------
    LessonSourceError
        With a sentence that names the cell.
    """
    try:
        import jupytext  # type: ignore[import-untyped]
    except ImportError:
        raise MissingPackage("Building lessons needs jupytext. Install it: pip install jupytext.") from None
    book = jupytext.read(path, fmt="py:percent")
    about = book.metadata.get("gpucluster")
    if not isinstance(about, dict):
        raise LessonSourceError(f"{path.parent.name}/lesson.py has no 'gpucluster' section in its header.")
    cells = tuple(
        SourceCell(
            type=cell.cell_type,
            text=cell.source,
            tags=tuple(cell.metadata.get("tags", ())),
            exercise=cell.metadata.get("exercise"),
            title=cell.metadata.get("title"),
            anchor=cell.metadata.get("anchor"),
        )
        for cell in book.cells
    )
    source = LessonSource(
        id=str(about["lesson"]),
        slug=path.parent.name,
        title=str(about["title"]),
        minutes=int(about["minutes"]),
        needs=str(about["needs"]),
        objectives=tuple(about["objectives"]),
        cells=cells,
    )
    _validate(source)
    return source


def _validate(source: LessonSource) -> None:
    anchors = [cell.anchor for cell in source.cells if cell.anchor]
    for anchor in anchors:
        if not _ANCHOR.match(anchor) or anchors.count(anchor) > 1:
            raise LessonSourceError(
                f"The anchor {anchor!r} of {source.slug} is not lower-case-with-dashes, or not unique."
            )
    for cell in source.cells:
        marks = [line.strip() for line in cell.text.splitlines() if line.strip() in {BEGIN, END}]
        if marks != [BEGIN, END] * (len(marks) // 2):
            raise LessonSourceError(f"A solution of {cell.exercise or 'a cell'} in {source.slug} does not end.")
        if marks and "exercise" not in cell.tags:
            raise LessonSourceError(f"A cell of {source.slug} has a solution but not the tag 'exercise'.")
        if cell.type == "code" and not _compiles(cell.learner_text()):
            raise LessonSourceError(f"The learner's copy of a cell in {source.slug} is not valid Python:\n{cell.text}")
    for exercise in source.exercises():
        if not exercise["title"] or not exercise["solution"] or len(exercise["hints"]) != 3:
            raise LessonSourceError(f"{exercise['id']} needs a title, a solution and three hints.")


def _compiles(text: str) -> bool:
    plain = "\n".join("" if line.startswith("%") else line for line in text.splitlines())
    try:
        compile(plain, "<cell>", "exec")
    except SyntaxError:
        return False
    return True
