"""What a lesson's source says: one jupytext percent file from which all notebooks are made. `reading` reads it.

Cells carry a kind as their first tag (``predict``, ``run``, ``exercise``, ``check``, ``hint-1`` to ``hint-3``,
``instructor``) and, where they belong to an exercise, its number: ``# %% tags=["exercise"] exercise="06.2"``.
A cell that others refer to has a name of its own, ``anchor="mean-of-means"``; ``06#mean-of-means`` leads to it.
What the learner is to write stands between the lines ``### BEGIN SOLUTION`` and ``### END SOLUTION``, or is the right
side of an assignment or of an entry of a dictionary, or the guess of a ``predict``, in a line that ends with
``# SOLUTION``.

The header names the lesson's topics, which the study advisor speaks of, each with a place that explains it: an
exercise (``03.2``) or an anchor (``03#starvation``). The heading of an exercise says ``topic="starvation"``. The list
in the cell with the tag ``keypoints`` is what a learner should keep.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ...protocol.errors import GPUClusterError
from ..catalogue import Topic

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
ASSIGNED = "# SOLUTION"
_ASSIGNED = re.compile(rf"^(\s*(?:\w+ = |\"[^\"]+\": )).*?(,?)\s*{ASSIGNED}$")
_PREDICTED = re.compile(rf"^(\s*predict\(\"[^\"]+\", ).*(\))\s*{ASSIGNED}$")
_HINT = re.compile(r"^hint-([1-3])$")
_BULLET = re.compile(r"^[*-] (.*(?:\n +\S.*)*)", re.MULTILINE)


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
    topic: str | None = None

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
    topics: tuple[Topic, ...] = ()
    cells: tuple[SourceCell, ...] = field(default=())

    @property
    def anchors(self) -> tuple[str, ...]:
        """Names of the cells that others may refer to, in order."""
        return tuple(cell.anchor for cell in self.cells if cell.anchor)

    @property
    def keypoints(self) -> tuple[str, ...]:
        """What to keep, one sentence or two each, as Markdown."""
        texts = [cell.text for cell in self.cells if "keypoints" in cell.tags]
        return tuple(" ".join(point.split()) for text in texts for point in _BULLET.findall(text))

    def exercises(self) -> list[dict[str, Any]]:
        """Return number, title, topic, hints and solution of each exercise, in order."""
        found: dict[str, dict[str, Any]] = {}
        for cell in self.cells:
            if cell.exercise is None:
                continue
            empty: dict[str, Any] = {"id": cell.exercise, "title": "", "topic": None, "hints": [], "solution": ""}
            entry = found.setdefault(cell.exercise, empty)
            entry["title"] = cell.title or entry["title"]
            entry["topic"] = cell.topic or entry["topic"]
            if cell.hint:
                entry["hints"].append(cell.text)
            elif "exercise" in cell.tags:
                entry["solution"] = "\n\n\n".join(filter(None, [entry["solution"], cell.solution_text()]))
        return list(found.values())
