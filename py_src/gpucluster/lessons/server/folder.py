"""The learner's folder of lessons, below Jupyter's root: what is in it, and what may be written there."""

import asyncio
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ..catalogue import Lesson, lessons
from ..copies import LessonFolderError, copy_lessons, copy_recall, reset_lesson
from ..learner_progress import Progress, ProgressUnreadable, edit, forget, load, now, progress_file
from ..learner_progress.recording import apply
from ..models import (
    CardTurned,
    EventsNoted,
    LessonCopied,
    LessonEvents,
    LessonList,
    LessonModel,
    LessonStep,
    ProgressDeleted,
    ProgressSummary,
    Tally,
)
from .state import Bank, advice_for, bank_of, check_known, exercises_of, next_step, recordable, tally_of

KEPT_SECONDS = 60.0
"""So soon an author sees a change of the lessons themselves. Each page asks every few seconds."""
_Stamp = tuple[date | tuple[int, int, int] | None, ...]


@dataclass(frozen=True)
class LessonFolder:
    """Copies of the lessons, and one learner's progress.

    Attributes
    ----------
    folder : pathlib.Path
        Where the copies are; need not exist.
    root : pathlib.Path
        Jupyter's root: what lies outside of it cannot be opened in the browser.
    has_class : bool
        Whether this server shows a class.
    """

    folder: Path
    root: Path
    has_class: bool = False

    async def read(self) -> LessonList:
        """Return all lessons and how far the learner is."""
        return await asyncio.to_thread(self._read)

    async def copy(self) -> LessonCopied:
        """Copy the lessons that are missing."""
        return await asyncio.to_thread(self._copy)

    async def reset(self, lesson: str) -> LessonCopied:
        """Reset a lesson and keep a backup."""
        written = await asyncio.to_thread(reset_lesson, self.folder, lesson)
        return self._written([written.notebook], written.backup)

    async def recall(self, lesson: str) -> LessonCopied:
        """Copy the notebook without prose, unless it is there."""
        return self._written([(await asyncio.to_thread(copy_recall, self.folder, lesson)).notebook])

    async def note(self, events: LessonEvents) -> EventsNoted:
        """Write down what a page reports."""
        return await asyncio.to_thread(self._note, events)

    async def forget(self) -> ProgressDeleted:
        """Delete the learner's progress."""
        return ProgressDeleted(deleted=await asyncio.to_thread(forget, self.folder))

    def _read(self) -> LessonList:
        # Before anything is read: what changes meanwhile is then seen the next time.
        stamp, now = self._stamp(), time.monotonic()
        kept = _kept.get(self)
        if kept is None or kept[0] != stamp or now - kept[1] > KEPT_SECONDS:
            kept = _kept[self] = stamp, now, self._read_lessons()
        return kept[2]

    def _stamp(self) -> _Stamp:
        """Return what differs when the learner has done something, or files have come or gone."""
        places = (progress_file(self.folder), self.folder, *(self.folder / lesson.slug for lesson in lessons()))
        return date.today(), *map(_changed_at, places)

    def _read_lessons(self) -> LessonList:
        message, progress = None, Progress()
        try:
            progress = load(self.folder)
        except ProgressUnreadable as error:
            message = error.message
        found = [(lesson, bank_of(lesson)) for lesson in lessons() if lesson.notebook.is_file()]
        shown = [self._lesson(lesson, bank, progress) for lesson, bank in found]
        summary = ProgressSummary(
            path=self._shown(progress_file(self.folder)),
            exists=progress_file(self.folder).is_file(),
            message=message,
            exercises=Tally(
                done=sum(exercise.state == "passed" for one in shown for exercise in one.exercises),
                total=sum(len(one.exercises) for one in shown),
            ),
            questions=_sum(one.questions for one in shown),
            cards=_sum(one.cards for one in shown),
            shared_as=progress.sharing.name if progress.sharing.folder else None,
        )
        advice: list[LessonStep] = advice_for(progress)
        return LessonList(
            folder=self._shown(self.folder),
            lessons=shown,
            next=next_step(shown, progress),
            advice=advice,
            progress=summary,
            has_class=self.has_class,
        )

    def _lesson(self, lesson: Lesson, bank: Bank, progress: Progress) -> LessonModel:
        own = self.folder / lesson.slug
        return LessonModel(
            id=lesson.id,
            slug=lesson.slug,
            title=lesson.title,
            minutes=lesson.minutes,
            needs=lesson.needs,
            objectives=list(lesson.objectives),
            exercises=exercises_of(lesson, progress),
            questions=tally_of(bank, progress),
            cards=bank.due(progress, date.today()),
            notebook=self._openable(own / lesson.notebook.name),
            recall=self._openable(own / lesson.recall_notebook.name),
            has_recall=lesson.recall_notebook.is_file(),
        )

    def _copy(self) -> LessonCopied:
        try:
            return self._written(copy_lessons(self.folder))
        except OSError as error:
            raise LessonFolderError(f"The lessons cannot be copied to {self.folder}: {error.strerror}.") from error

    def _note(self, events: LessonEvents) -> EventsNoted:
        check_known(events.events)
        with edit(self.folder) as progress:
            for event in events.events:
                apply(progress, recordable(event), now())
            turned = [event.id for event in events.events if isinstance(event, CardTurned)]
            due = {card: progress.cards[card].due_on.isoformat() for card in turned}
        return EventsNoted(noted=len(events.events), due=due)

    def _written(self, files: list[Path], backup: Path | None = None) -> LessonCopied:
        return LessonCopied(written=[self._shown(file) for file in files], backup=backup and self._shown(backup))

    def _openable(self, file: Path) -> str | None:
        return file.relative_to(self.root).as_posix() if file.is_relative_to(self.root) and file.is_file() else None

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)


_kept: dict[LessonFolder, tuple[_Stamp, float, LessonList]] = {}
"""The last answers, with what they depend on and since when."""


def _changed_at(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _sum(tallies: Iterable[Tally]) -> Tally:
    found = list(tallies)
    return Tally(done=sum(one.done for one in found), total=sum(one.total for one in found))
