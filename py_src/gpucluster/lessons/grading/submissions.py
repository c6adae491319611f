"""What was handed in, and what submissions may not read."""

import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jupyter_core.paths import jupyter_runtime_dir

from ...protocol.errors import InvalidRequest
from ...protocol.plain_text import counted, printable
from ...registry.directory import default_directory
from ..catalogue import find_lesson
from .notebooks import read_notebook

# Finding the notebooks that learners handed in.


_DEEPEST = 4
_MOST_NAMED = 10
_LONGEST_NAME = 100
_MOST_PER_LEARNER = 40
_SKIPPED = re.compile(r"^\.|^__|\.backup-")
_NUMBER = re.compile(r"(?:^|[^0-9])(\d\d)-[a-z]")
UNKNOWN = "unknown"
"""Stands for a lesson: the notebook cannot be read, and no name says which one it belongs to."""


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
        Only this lesson, and what may belong to it.

    Raises
    ------
    InvalidRequest
        When there is nothing to grade.
    """
    folder = folder.expanduser()
    if not folder.is_dir():
        raise InvalidRequest(f"Folder {folder} not found.")
    root = folder.resolve()
    found = [one for paths in _per_learner(root) for one in _submissions(root, paths)]
    found = _told_apart(found)
    found = [one for one in found if lesson is None or one.lesson in (lesson, UNKNOWN)]
    if not found:
        what = f"of lesson {lesson} " if lesson else ""
        raise InvalidRequest(" ".join([f"No notebook {what}in {folder}.", *missing_notes(root)]))
    return sorted(found, key=lambda one: (one.learner.casefold(), one.lesson, str(one.path)))


def missing_notes(folder: Path) -> list[str]:
    """Return sentences that name what gets no row below a folder: links, and folders in which nothing can be graded.

    Because of these, a learner may be missing in the results.
    """
    root = folder.expanduser().resolve()
    found, links = _notebooks(root)
    known = {path.relative_to(root).parts[0] for path in [*found, *links]}
    with os.scandir(root) as entries:
        folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    empty = sorted(name for name in folders if name not in known and not _SKIPPED.search(name))
    notes = []
    if links:
        named = _some(["/".join(path.relative_to(root).parts) for path in links])
        notes.append(f"Not graded, as links are not followed: {named}.")
    if empty:
        notes.append(f"No row, because the folder has no notebook: {_some(empty)}.")
    return notes


def repeated(submissions: Sequence[Submission]) -> dict[tuple[str, str], int]:
    """Return how many notebooks of one lesson a learner has handed in, by learner and lesson, where it is several."""
    number = Counter((one.learner, one.lesson) for one in submissions if not one.problem)
    return {about: count for about, count in number.items() if count > 1}


def repeated_notes(submissions: Sequence[Submission]) -> list[str]:
    """Return what is to be said about learners who have handed in several notebooks of one lesson."""
    several = [f"{learner} (lesson {lesson}: {count})" for (learner, lesson), count in repeated(submissions).items()]
    if not several:
        return []
    return [
        f"Several notebooks of one lesson, each with its own row; 'changed_at' says which is newer: {_some(several)}."
    ]


def _some(names: list[str]) -> str:
    """The first names, and how many others there are."""
    shown = [printable(_printable(name), _LONGEST_NAME) for name in names[:_MOST_NAMED]]
    left = len(names) - len(shown)
    return ", ".join(shown) + (f" and {counted(left, 'other')}" if left else "")


def _notebooks(folder: Path) -> tuple[list[Path], list[Path]]:
    """The notebooks, and the links that stand for one or for a learner's folder."""
    found, links = [], []
    for place, folders, files in os.walk(folder, followlinks=False):
        depth = len(Path(place).relative_to(folder).parts)
        names = sorted(name for name in [*folders, *files] if not _SKIPPED.search(name))
        linked = [path for path in (Path(place) / name for name in names) if path.is_symlink()]
        # The link of a learner's folder may lead to nowhere.
        links += [path for path in linked if path.suffix == ".ipynb" or (depth == 0 and not path.is_file())]
        folders[:] = sorted(name for name in folders if not _SKIPPED.search(name)) if depth < _DEEPEST else []
        paths = [Path(place) / name for name in sorted(files) if name.endswith(".ipynb") and not _SKIPPED.search(name)]
        found += [path for path in paths if not path.is_symlink()]
    return found, links


def _per_learner(folder: Path) -> list[list[Path]]:
    groups: dict[str, list[Path]] = {}
    for path in _notebooks(folder)[0]:
        groups.setdefault(path.relative_to(folder).parts[0], []).append(path)
    return list(groups.values())


def _submissions(folder: Path, paths: list[Path]) -> list[Submission]:
    """One learner's notebooks, up to a limit, so that the other learners are graded as well."""
    found = [_submission(folder, path) for path in paths[:_MOST_PER_LEARNER]]
    left = paths[_MOST_PER_LEARNER:]
    if left:
        others = f" and {counted(len(left) - 1, 'other')} were" if len(left) > 1 else " was"
        problem = f"this learner handed in {len(paths)} notebooks; this one{others} left out"
        found.append(replace(_submission(folder, left[0]), problem=problem))
    return found


def _submission(folder: Path, path: Path) -> Submission:
    parts = path.relative_to(folder).parts
    named = _named(parts)
    lesson, problem = named, ""
    try:
        about = read_notebook(path, folder).get("metadata")
        own = about.get("gpucluster") if isinstance(about, dict) else None
        said = str(own.get("lesson", ""))[:10] if isinstance(own, dict) else ""
        lesson = said if find_lesson(said) else named or said
        problem = "" if find_lesson(lesson) else "it does not belong to any lesson"
    except ValueError as error:
        problem = f"it {error}"
        lesson = lesson or UNKNOWN
    known = find_lesson(lesson)
    learner = parts[0] if len(parts) > 1 else path.stem
    if len(parts) == 1 and known is not None:
        learner = path.stem.replace(known.slug, "").strip("-_ .") or path.stem
    return Submission(_printable(learner)[:100], lesson, path, folder, problem, file=_printable("/".join(parts)))


def _named(parts: tuple[str, ...]) -> str:
    """The lesson that the name of a notebook says, or that of a folder that it lies in; empty when none does."""
    for name in reversed(parts):
        number = _NUMBER.search(name)
        if number and find_lesson(number[1]):
            return number[1]
    return ""


def _told_apart(found: list[Submission]) -> list[Submission]:
    """Name two learners of the same name by where they handed in as well.

    Notebooks beside each other that are named after one learner are that learner's, unless two are of one lesson.
    """
    named: dict[str, list[Submission]] = {}
    for one in found:
        named.setdefault(one.learner.casefold(), []).append(one)
    return [replace(one, learner=_who(one, named[one.learner.casefold()])) for one in found]


def _who(one: Submission, same_name: list[Submission]) -> str:
    places = {other.file.partition("/")[0] for other in same_name}
    in_folders = any("/" in other.file for other in same_name)
    lessons = [other.lesson for other in same_name]
    if len(places) == 1 or not (in_folders or len(set(lessons)) < len(lessons)):
        return one.learner
    place, slash, _ = one.file.partition("/")
    return f"{one.learner} ({place}{slash})"


def _printable(name: str) -> str:
    """Bytes that are not text are shown as numbers, so that names stay distinct."""
    return printable(os.fsencode(name).decode("utf-8", "backslashreplace"))


# What submissions may not read, beside the solutions: what others handed in, and how to reach other programs.


_PACKAGE = Path(__file__).resolve().parents[2]


def closed_folders(submissions: Iterable[Submission]) -> list[Path]:
    """Return the folders to close: those with all submissions, and those that say how to reach the account's programs.

    These are its clusters, with the secrets that open them, its notebook servers and kernels, and its session. Where
    Python itself or the folder for temporary files lies among the submissions, each learner's is closed instead.
    """
    found = {folder.resolve() for folder in _of_programs()}
    # Closing a folder that Python needs would end every kernel.
    found = {folder for folder in found if not _is_needed(folder)}
    for one in submissions:
        root = one.root
        found.add(root / one.path.relative_to(root).parts[0] if _is_needed(root) else root)
    return sorted(found)


def _of_programs() -> list[Path]:
    return [
        default_directory(),
        Path(f"/tmp/gpucluster-{os.getuid()}"),  # noqa: S108  # also when $GPUCLUSTER_DIR names another one
        Path(jupyter_runtime_dir()),
        Path.home() / ".local" / "share" / "jupyter" / "runtime",
        Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"),
    ]


def _is_needed(folder: Path) -> bool:
    needed = (sys.prefix, sys.base_prefix, tempfile.gettempdir(), _PACKAGE)
    return any(Path(place).resolve().is_relative_to(folder) for place in needed)
