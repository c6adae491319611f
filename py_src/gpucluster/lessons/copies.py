"""A learner's copies of lessons: all of them, one restarted without losing anything, and the copy without prose."""

import json
import platform
import re
import shutil
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..protocol.errors import GPUClusterError
from .catalogue import Lesson, find_lesson, lessons


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
            raise LessonNotFound(f"{lesson[:40]!r} is not a lesson. Give the lesson: {whole.id}.")
        raise LessonNotFound(f"Lesson {lesson[:40]!r} not found. `gpucluster lessons list` shows all.")
    return found


def copy_lessons(
    destination: Path, *, overwrite: bool = False, solutions: bool = False, only: Collection[str] | None = None
) -> list[Path]:
    """Copy the learners' notebooks into a folder.

    Parameters
    ----------
    destination : pathlib.Path
        Folder that gets one subfolder per lesson; made when missing.
    overwrite : bool, optional
        Replace notebooks that are there already. Otherwise a learner's work is left alone.
    solutions : bool, optional
        Copy the solution notebooks too.
    only : collection of str, optional
        Numbers of the lessons to copy; left out: all.

    Returns
    -------
    list of pathlib.Path
        The notebooks that were written.
    """
    written = []
    for lesson in lessons():
        if only is not None and lesson.id not in only:
            continue
        sources = [lesson.notebook, *([lesson.solution_notebook] if solutions else [])]
        for source in sources:
            target = Path(destination) / lesson.slug / source.name
            if target.exists() and not overwrite:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            write_copy(source, target)
            written.append(target)
    return written


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
        except OSError:  # the folder was created again meanwhile
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


def write_copy(source: Path, target: Path) -> None:
    """Copy a notebook of the package; with the mode of a new file, as the package may be read-only.

    JupyterLab writes what the kernel says of its language into each notebook that it opens. Where that is there
    already, nothing changes, and a lesson that was only looked at has nothing to be saved.
    """
    notebook: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    notebook["metadata"]["language_info"] = language_info()
    target.write_text(json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def language_info() -> dict[str, Any]:
    """Return what the IPython kernel of this Python says of its language; it would take a second to import."""
    major = sys.version_info.major
    return {
        "name": "python",
        "version": platform.python_version(),
        "mimetype": "text/x-python",
        "codemirror_mode": {"name": "ipython", "version": major},
        "pygments_lexer": f"ipython{major}",
        "nbconvert_exporter": "python",
        "file_extension": ".py",
    }


def _copy(source: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / source.name
    write_copy(source, target)
    return target


def _free(folder: Path, name: str) -> Path:
    """A free name, even after two clicks within a second."""
    candidates = (folder / (name if number == 1 else f"{name}-{number}") for number in range(1, 1000))
    return next(path for path in candidates if not path.exists())


def _not_writable(folder: Path, error: OSError) -> LessonFolderError:
    return LessonFolderError(f"The lesson cannot be copied to {folder}: {error.strerror}.")
