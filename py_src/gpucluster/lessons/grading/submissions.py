"""Finding the notebooks that learners handed in."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from ...protocol.errors import InvalidRequest
from ...protocol.plaintext import printable
from ..catalogue import find_lesson
from .notebooks import read_notebook

_DEEPEST = 4
_MOST_PER_LEARNER = 40
_SKIPPED = re.compile(r"^\.|^__|\.backup-")
_NUMBER = re.compile(r"(?:^|[^0-9])(\d\d)-[a-z]")


@dataclass(frozen=True)
class Submission:
    """One notebook.

    Attributes
    ----------
    path : pathlib.Path
        Below ``root``. Between the two there was no link when it was found; there may be one by now.
    root : pathlib.Path
        The folder with what the class handed in, without links.
    problem : str
        Why it cannot be graded; empty when it can.
    file : str
        Path below that folder, in letters that can be printed.
    """

    learner: str
    lesson: str
    path: Path
    root: Path
    problem: str = ""
    file: str = ""


def find_submissions(folder: Path, lesson: str | None = None) -> list[Submission]:
    """Return the notebooks below a folder, in the order of their learners.

    A learner is named by the first folder below ``folder``, or, for a notebook that lies in it, by what the name of the
    file has beside the name of the lesson: ``ana-06-kmeans.ipynb``. Links are not followed.

    Parameters
    ----------
    folder : pathlib.Path
        Where the class handed in.
    lesson : str, optional
        Only this lesson.

    Raises
    ------
    InvalidRequest
        When there is nothing to grade.
    """
    folder = folder.expanduser()
    if not folder.is_dir():
        raise InvalidRequest(f"There is no folder {folder}.")
    root = folder.resolve()
    found = [one for paths in _per_learner(root) for one in _submissions(root, paths)]
    found = [one for one in found if lesson is None or one.lesson == lesson]
    if not found:
        what = f"of lesson {lesson} " if lesson else ""
        raise InvalidRequest(f"There is no notebook {what}in {folder}.")
    return sorted(found, key=lambda one: (one.learner.casefold(), one.lesson, str(one.path)))


def _notebooks(folder: Path) -> list[Path]:
    found = []
    for place, folders, files in os.walk(folder, followlinks=False):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if not _SKIPPED.search(name)) if depth < _DEEPEST else []
        paths = [Path(place) / name for name in sorted(files) if name.endswith(".ipynb") and not _SKIPPED.search(name)]
        found += [path for path in paths if not path.is_symlink()]
    return found


def _per_learner(folder: Path) -> list[list[Path]]:
    groups: dict[str, list[Path]] = {}
    for path in _notebooks(folder):
        groups.setdefault(path.relative_to(folder).parts[0], []).append(path)
    return list(groups.values())


def _submissions(folder: Path, paths: list[Path]) -> list[Submission]:
    """One learner's notebooks; so many at most that the others are graded as well."""
    found = [_submission(folder, path) for path in paths[:_MOST_PER_LEARNER]]
    left = paths[_MOST_PER_LEARNER:]
    if left:
        problem = f"this learner handed in {len(paths)} notebooks; this one and {len(left) - 1} others were left out"
        found.append(replace(_submission(folder, left[0]), problem=problem))
    return found


def _submission(folder: Path, path: Path) -> Submission:
    parts = path.relative_to(folder).parts
    number = _NUMBER.search(path.name)
    lesson = number[1] if number else ""
    try:
        about = read_notebook(path, folder).get("metadata")
        own = about.get("gpucluster") if isinstance(about, dict) else None
        lesson = str(own.get("lesson", lesson))[:10] if isinstance(own, dict) else lesson
        problem = "" if find_lesson(lesson) else "it belongs to no lesson of this kit"
    except ValueError as error:
        problem = f"it {error}"
    known = find_lesson(lesson)
    learner = parts[0] if len(parts) > 1 else path.stem
    if len(parts) == 1 and known is not None:
        learner = path.stem.replace(known.slug, "").strip("-_ .") or path.stem
    return Submission(_printable(learner)[:100], lesson, path, folder, problem, file=_printable("/".join(parts)))


def _printable(name: str) -> str:
    """Bytes that are no text are shown as numbers, so that two names stay two."""
    return printable(os.fsencode(name).decode("utf-8", "backslashreplace"))
