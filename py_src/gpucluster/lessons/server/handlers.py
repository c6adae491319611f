"""Lessons over REST: list, copy, reset, the copy without prose, reported answers, delete the record."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic import ValidationError

from ...protocol.errors import GPUClusterError, invalid_request
from ...server.api import ClusterAPIHandler
from ..models import LessonEvents
from .folder import LessonFolder


class LessonHandler(ClusterAPIHandler):
    """What every handler about lessons knows."""

    lessons: LessonFolder


class LessonsHandler(LessonHandler):
    """All lessons."""

    polled = True

    async def get(self) -> None:
        """List the lessons with the learner's progress."""
        self.answer(await self.lessons.read())


class CopyLessonsHandler(LessonHandler):
    """The learner's copies."""

    async def post(self) -> None:
        """Copy the notebooks that are missing; none is replaced."""
        self.answer(await self.lessons.copy())


class ResetLessonHandler(LessonHandler):
    """Reset the learner's copy of one lesson."""

    async def post(self, lesson: str) -> None:
        """Move what is there into a backup and copy the lesson again."""
        self.answer(await self.lessons.reset(lesson))


class RecallLessonHandler(LessonHandler):
    """The copy of one lesson without prose."""

    async def post(self, lesson: str) -> None:
        """Copy it, unless it is there."""
        self.answer(await self.lessons.recall(lesson))


class LessonEventsHandler(LessonHandler):
    """Answers that pages report."""

    async def post(self) -> None:
        """Write them into the learner's progress."""
        try:
            events = LessonEvents.model_validate_json(self.body())
        except ValidationError as error:
            raise invalid_request(error) from None
        self.answer(await self.lessons.note(events))


class ProgressHandler(LessonHandler):
    """Everything that is known about the learner."""

    async def delete(self) -> None:
        """Delete it."""
        self.answer(await self.lessons.forget())


class NoClassHere(GPUClusterError):
    """This server shows no class."""

    code = "no_class"
    http_status = 404


class ClassHandler(ClusterAPIHandler):
    """The class whose folder is in the configuration."""

    polled = True
    folder: Path | None

    async def get(self) -> None:
        """Read what the learners of the class share."""
        if self.folder is None:
            raise NoClassHere(
                "This server shows no class. Start it with --GPUClusterExtension.class_folder=FOLDER, "
                "or run: gpucluster lessons class FOLDER"
            )
        # Imported here: only servers of instructors read classes.
        from ..classroom import read_class

        self.answer(await asyncio.to_thread(read_class, self.folder))
