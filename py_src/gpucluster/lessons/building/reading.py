"""Reading a lesson's ``lesson.py``, and the rules that it must keep."""

from __future__ import annotations

import re
from pathlib import Path

from ...protocol.errors import MissingPackage
from ..catalogue import Topic
from .source import BEGIN, END, LessonSource, LessonSourceError, SourceCell

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
