"""What a lesson's source says: one jupytext percent file from which all notebooks are made. `reading` reads it.

Cells carry a kind as their first tag (``predict``, ``run``, ``exercise``, ``check``, ``hint-1`` to ``hint-3``,
``instructor``) and, where they belong to an exercise, its number: ``# %% tags=["exercise"] exercise="06.2"``.
A cell that others refer to has a name, ``anchor="mean-of-means"``; ``06#mean-of-means`` links to it.
What the learner is to write stands between the lines ``### BEGIN SOLUTION`` and ``### END SOLUTION``, or is the right
side of an assignment or of an entry of a dictionary, or the guess of a ``predict``, in a line that ends with
``# SOLUTION``.

The header names the lesson's topics, which the study advisor speaks of, each with a place that explains it: an
exercise (``03.2``) or an anchor (``03#starvation``). The heading of an exercise says ``topic="starvation"``. The list
in the cell with the tag ``keypoints`` is what a learner should keep.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...protocol.errors import GPUClusterError, MissingPackage
from ..catalogue import Topic

# What a lesson's source says: one jupytext percent file from which all notebooks are made. `reading` reads it.


BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
ASSIGNED = "# SOLUTION"
_ASSIGNED = re.compile(rf"^(\s*(?:\w+ = |\"[^\"]+\": )).*?(,?)\s*{ASSIGNED}$")
_PREDICTED = re.compile(rf"^(\s*predict\(\"[^\"]+\", ).*(\))\s*{ASSIGNED}$")
_HINT = re.compile(r"^hint-([1-3])$")
STATED_MINUTES = re.compile(r"^#+ .*\((\d+) min\)", re.MULTILINE)
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
        """Return number, title, topic, stated minutes, hints and solution of each exercise, in order."""
        found: dict[str, dict[str, Any]] = {}
        for cell in self.cells:
            if cell.exercise is None:
                continue
            empty: dict[str, Any] = {"id": cell.exercise, "title": "", "topic": None, "minutes": None, "hints": []}
            entry = found.setdefault(cell.exercise, empty | {"solution": ""})
            entry["title"] = cell.title or entry["title"]
            entry["topic"] = cell.topic or entry["topic"]
            if stated := STATED_MINUTES.search(cell.text):
                entry["minutes"] = int(stated[1])
            if cell.hint:
                entry["hints"].append(cell.text)
            elif "exercise" in cell.tags:
                entry["solution"] = "\n\n\n".join(filter(None, [entry["solution"], cell.solution_text()]))
        return list(found.values())


# Reading a lesson's ``lesson.py``, and the rules that it must keep.


_NAME = re.compile(r"^[a-z][a-z0-9-]*$")


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
            topic=cell.metadata.get("topic"),
        )
        for cell in book.cells
    )
    try:
        source = LessonSource(
            id=str(about["lesson"]),
            slug=slug_of(path.parent),
            title=str(about["title"]),
            minutes=int(about["minutes"]),
            needs=str(about["needs"]),
            objectives=tuple(about["objectives"]),
            topics=tuple(Topic(name, entry["title"], entry["link"]) for name, entry in about.get("topics", {}).items()),
            cells=cells,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LessonSourceError(
            f"The header of {path.parent.name}/lesson.py is not complete: {error}. It needs lesson, title, minutes, "
            "needs, objectives, and for each topic a title and a link."
        ) from error
    _validate(source)
    return source


def slug_of(folder: Path) -> str:
    """Return the name of a lesson whose source is in this folder: ``06-kmeans`` for ``lesson_06_kmeans``."""
    name = folder.name
    return name.removeprefix("lesson_").replace("_", "-") if name.startswith("lesson_") else name


def _validate(source: LessonSource) -> None:
    """Refuse a source whose parts do not fit together.

    Raises
    ------
    LessonSourceError
        With a sentence that names the cell.
    """
    _validate_places(source)
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


def _validate_places(source: LessonSource) -> None:
    for anchor in source.anchors:
        if not _NAME.match(anchor) or source.anchors.count(anchor) > 1:
            raise LessonSourceError(
                f"The anchor {anchor!r} of {source.slug} is not lower-case-with-dashes, or not unique."
            )
    exercises = source.exercises()
    places = {f"{source.id}#{anchor}" for anchor in source.anchors} | {exercise["id"] for exercise in exercises}
    for topic in source.topics:
        if not _NAME.match(topic.name):
            raise LessonSourceError(f"The topic {topic.name!r} of {source.slug} is not lower-case-with-dashes.")
        if topic.link not in places:
            raise LessonSourceError(
                f"The topic {topic.name!r} of {source.slug} leads to {topic.link!r}, which is neither an exercise "
                f"({source.id}.1) nor an anchor ({source.id}#name) of this lesson."
            )
    names = {topic.name for topic in source.topics}
    for exercise in exercises:
        if exercise["topic"] not in {None, *names}:
            raise LessonSourceError(f"{exercise['id']} has the topic {exercise['topic']!r}, not one of the header's.")


def _compiles(text: str) -> bool:
    plain = "\n".join("" if line.startswith("%") else line for line in text.splitlines())
    try:
        compile(plain, "<cell>", "exec")
    except SyntaxError:
        return False
    return True
