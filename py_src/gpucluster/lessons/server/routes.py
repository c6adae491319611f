"""The routes of the lessons, for the server extension."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter

from ...server.added_routes import AddedRoutes, Rule
from ...server.extension import GPUClusterExtension
from ...server.openapi import Operation
from ..models import ClassView, EventsNoted, LessonCopied, LessonEvents, LessonList, ProgressDeleted
from .folder import LessonFolder
from .handlers import (
    ClassHandler,
    CopyLessonsHandler,
    LessonEventsHandler,
    LessonsHandler,
    ProgressHandler,
    RecallLessonHandler,
    ResetLessonHandler,
)

_LESSON = "api/lessons/{lesson}"


def _rules(extension: GPUClusterExtension) -> Iterator[Rule]:
    of_class = Path(extension.class_folder).expanduser().absolute() if extension.class_folder else None
    root = extension.root
    folder = root / Path(extension.lessons_folder).expanduser()
    lessons = {"lessons": LessonFolder(folder, root, has_class=of_class is not None)}
    yield "lessons", LessonsHandler, lessons
    yield "lessons/copy", CopyLessonsHandler, lessons
    yield "lessons/events", LessonEventsHandler, lessons
    yield "lessons/progress", ProgressHandler, lessons
    yield "lessons/class", ClassHandler, {"folder": of_class}
    yield "lessons/([^/]+)/reset", ResetLessonHandler, lessons
    yield "lessons/([^/]+)/recall", RecallLessonHandler, lessons


_OPERATIONS = (
    Operation("get", "api/lessons", "List the lessons with the learner's progress and what to do next.", "LessonList"),
    Operation(
        "post", "api/lessons/copy", "Copy the notebooks that the learner does not have yet.", "LessonCopied",
        refusals=(409,),
    ),
    Operation(
        "post", "api/lessons/events", "Write reported answers into the learner's progress.", "EventsNoted",
        body="LessonEvents", refusals=(409, 422),
    ),
    Operation(
        "delete", "api/lessons/progress", "Delete everything that is known about the learner.", "ProgressDeleted",
        refusals=(409,),
    ),
    Operation(
        "get", "api/lessons/class", "Where each learner is, and what fails most.", "ClassView", refusals=(404, 422)
    ),
    Operation(
        "post", f"{_LESSON}/reset", "Move the learner's copy into a backup and copy the lesson again.", "LessonCopied",
        refusals=(404, 409),
    ),
    Operation(
        "post", f"{_LESSON}/recall", "Copy the lesson without prose, unless the learner has it.", "LessonCopied",
        refusals=(404, 409),
    ),
)  # fmt: skip

ROUTES = AddedRoutes(
    _rules,
    _OPERATIONS,
    {
        model.__name__: TypeAdapter(model)
        for model in (LessonList, LessonCopied, LessonEvents, EventsNoted, ProgressDeleted, ClassView)
    },
)
