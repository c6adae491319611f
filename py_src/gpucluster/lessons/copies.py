"""A learner's copies of one lesson: begin anew without losing anything, and the copy without prose."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..protocol.errors import GPUClusterError
from .catalogue import Lesson, find_lesson
from .writing import write_copy


class LessonNotFound(GPUClusterError):
    """There is no lesson of that number, or no such copy of it."""

    code = "lesson_not_found"
    http_status = 404
    exit_code = 3


class LessonFolderError(GPUClusterError):
    """The folder of the learner's copies cannot be used."""

    code = "lesson_folder"
    http_status = 409
    exit_code = 4


@dataclass(frozen=True)
class Written:
    """What was written for a learner.

    Attributes
    ----------
    notebook : pathlib.Path
        The fresh notebook.
    backup : pathlib.Path, optional
        Folder that now holds everything that was there before.
    """

    notebook: Path
    backup: Path | None = None


def known_lesson(lesson: str) -> Lesson:
    """Return the lesson of that number or folder name; ``6`` is ``06``.

    Raises
    ------
    LessonNotFound
        With a sentence.
    """
    found = find_lesson(f"0{lesson}" if re.fullmatch("[0-9]", lesson) else lesson)
    if found is None:
        whole = find_lesson(re.split("[.#]", lesson, maxsplit=1)[0])
        if whole is not None:
            raise LessonNotFound(f"{lesson[:40]!r} is no lesson. Give the lesson: {whole.id}.")
        raise LessonNotFound(f"There is no lesson {lesson[:40]!r}. `gpucluster lessons list` names them all.")
    return found


def reset_lesson(folder: Path, lesson: str, now: Callable[[], datetime] = datetime.now) -> Written:
    """Give the learner a fresh notebook; what was there is kept in a folder beside it.

    Parameters
    ----------
    folder : pathlib.Path
        Folder of the learner's copies, which has one subfolder per lesson.
    lesson : str
        Number or folder name of the lesson.
    now : callable, optional
        Tells the time for the name of the backup.

    Raises
    ------
    LessonNotFound
        When there is no such lesson.
    LessonFolderError
        When nothing can be written there.
    """
    known = known_lesson(lesson)
    own = folder / known.slug
    backup: Path | None = None
    fresh: Path | None = None
    try:
        if not own.exists():
            return Written(_copy(known.notebook, own))
        # Made first, so that the lesson is never missing for longer than two renames take: JupyterLab has it open.
        fresh = _free(folder, f".{known.slug}.new")
        _copy(known.notebook, fresh)
        backup = _free(folder, f"{known.slug}.backup-{now():%Y%m%d-%H%M%S}")
        own.rename(backup)
        try:
            fresh.rename(own)
        except OSError:  # somebody has made the folder again meanwhile
            _copy(known.notebook, own)
        return Written(own / known.notebook.name, backup)
    except OSError as error:
        raise _not_writable(folder, error) from error
    finally:
        if fresh is not None:
            shutil.rmtree(fresh, ignore_errors=True)


def copy_recall(folder: Path, lesson: str) -> Written:
    """Give the learner the copy without prose, unless it is there already.

    Raises
    ------
    LessonNotFound
        When there is no such lesson, or no such copy of it.
    LessonFolderError
        When nothing can be written there.
    """
    known = known_lesson(lesson)
    source = known.recall_notebook
    if not source.is_file():
        raise LessonNotFound(f"Lesson {known.id} has no recall copy.")
    target = folder / known.slug / source.name
    try:
        return Written(target if target.exists() else _copy(source, folder / known.slug))
    except OSError as error:
        raise _not_writable(folder, error) from error


def _copy(source: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / source.name
    write_copy(source, target)
    return target


def _free(folder: Path, name: str) -> Path:
    """A name that is not taken, also when somebody clicks twice within a second."""
    candidates = (folder / (name if number == 1 else f"{name}-{number}") for number in range(1, 1000))
    return next(path for path in candidates if not path.exists())


def _not_writable(folder: Path, error: OSError) -> LessonFolderError:
    return LessonFolderError(f"The lesson cannot be copied to {folder}: {error.strerror}.")
