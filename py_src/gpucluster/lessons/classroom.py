"""A class, for its instructor: reads what learners share. Everybody may write there, so no file is trusted.

The Jupyter server imports this module, so it imports nothing heavy. The learners' side is `learner_progress.sharing`.
"""

import itertools
import os
import re
from collections import Counter, defaultdict
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from pydantic import ValidationError

from ..operating_system.files import NotPlain, read_plain_file
from ..protocol.errors import InvalidRequest
from ..protocol.plain_text import counted
from .catalogue import lessons
from .learner_progress.shared_file import SharedExercise, SharedProgress
from .models import ClassExercise, ClassLearner, ClassView, FailingProperty

MOST_FILES = 1_000
LARGEST_FILE = 256 * 1024
_MOST_NAMES = 200_000
_MOST_PROBLEMS = 20
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}\.json")
_MOST_PROPERTIES = 5


def read_class(folder: Path) -> ClassView:
    """Say who is where, and what fails most.

    Parameters
    ----------
    folder : pathlib.Path
        The folder in which learners share. Files that are not theirs are named and otherwise left alone.

    Raises
    ------
    InvalidRequest
        When the folder cannot be read.
    """
    files, problems = _read_folder(folder.expanduser().absolute())
    shared = [*files.values()]
    names = Counter(one.name.casefold() for one in shared)
    learners = [
        _learner(one, one.name if names[one.name.casefold()] == 1 else f"{one.name} ({file.removesuffix('.json')})")
        for file, one in files.items()
    ]
    learners.sort(key=lambda one: (one.name.casefold(), one.name))
    return ClassView(
        folder=str(folder),
        read_at=datetime.now(UTC).replace(microsecond=0).isoformat(),
        learners=learners,
        exercises=_exercises(shared),
        problems=problems,
    )


def _read_folder(folder: Path) -> tuple[dict[str, SharedProgress], list[str]]:
    found: dict[str, SharedProgress] = {}
    problems: list[str] = []
    try:
        with os.scandir(folder) as entries:
            ours = [entry for entry in itertools.islice(entries, _MOST_NAMES) if _NAME.fullmatch(entry.name)]
            if next(entries, None) is not None:
                problems.append(f"The folder has more than {_MOST_NAMES:,} entries; some learners may be missing.")
    except OSError as error:
        raise InvalidRequest(f"The folder {folder} cannot be read: {error.strerror}.") from None
    if len(ours) > MOST_FILES:
        problems.append(f"There are {len(ours):,} files; only {MOST_FILES:,} were read, the newest of each owner.")
    for name in sorted(_fair_share(ours)):
        try:
            found[name] = _read_file(folder / name)
        except _Unusable as error:
            problems.append(f"{name} was skipped: {error}.")
    more = len(problems) - _MOST_PROBLEMS
    if more > 0:
        problems[_MOST_PROBLEMS:] = [f"{counted(more, 'more file was', 'more files were')} skipped."]
    return found, problems


def _fair_share(entries: list[os.DirEntry[str]]) -> list[str]:
    """Choose files fairly: the newest of each owner, then the second newest of each, and so on.

    There is no limit per owner as long as there is room: on some hubs all learners have the same one.
    """
    by_owner: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for entry in entries:
        with suppress(OSError):  # it has gone meanwhile
            found = entry.stat(follow_symlinks=False)
            by_owner[found.st_uid].append((-found.st_mtime, entry.name))
    ranked = [(rank, age, name) for files in by_owner.values() for rank, (age, name) in enumerate(sorted(files))]
    return [name for _, _, name in sorted(ranked)[:MOST_FILES]]


class _Unusable(Exception):
    """A file that no learner's kernel has written."""


def _read_file(path: Path) -> SharedProgress:
    try:
        text = read_plain_file(path, LARGEST_FILE, below=path.parent)
    except NotPlain as error:
        raise _Unusable(f"it {error}") from None
    except OSError as error:
        raise _Unusable(f"{error.strerror}") from None
    try:
        return SharedProgress.model_validate_json(text)
    except (ValidationError, ValueError):
        raise _Unusable("it is not what 'gpucluster lessons share' writes") from None


def _learner(shared: SharedProgress, name: str) -> ClassLearner:
    # Times are whole seconds: of several checks in one run of a notebook, the last one in the lesson counts.
    latest = max(shared.exercises.items(), key=lambda item: (item[1].last_at, len(item[0]), item[0]), default=None)
    id, entry = latest if latest is not None else (None, None)
    return ClassLearner(
        name=name,
        lesson=id.partition(".")[0] if id else None,
        exercise=id,
        state=entry.state if entry else "new",
        passed=sum(exercise.state == "passed" for exercise in shared.exercises.values()),
        updated_at=shared.updated_at.isoformat(),
        failing=entry.failed[0] if entry and entry.failed else None,
    )


def _exercises(shared: list[SharedProgress]) -> list[ClassExercise]:
    known = [exercise for lesson in lessons() for exercise in lesson.exercises]
    views = []
    for exercise in known:
        entries = [one.exercises[exercise.id] for one in shared if exercise.id in one.exercises]
        tried = [entry for entry in entries if entry.attempts or entry.hints or entry.solution_seen]
        if not tried:
            continue
        minutes = [entry.minutes for entry in tried if entry.minutes is not None]
        views.append(
            ClassExercise(
                id=exercise.id,
                title=exercise.title,
                passed=sum(entry.state == "passed" for entry in tried),
                stuck=sum(entry.state != "passed" and entry.attempts > 0 for entry in tried),
                attempts=sum(entry.attempts for entry in tried),
                hints=sum(entry.hints for entry in tried),
                solutions=sum(entry.solution_seen for entry in tried),
                stated_minutes=exercise.minutes,
                minutes=median(minutes) if minutes else None,
                timed=len(minutes),
                failing=_failing(tried),
            )
        )
    return views


def _failing(entries: list[SharedExercise]) -> list[FailingProperty]:
    count = Counter(text for entry in entries if entry.state != "passed" for text in set(entry.failed))
    ranked = sorted(count.items(), key=lambda item: (-item[1], item[0]))
    return [FailingProperty(property=text, learners=learners) for text, learners in ranked[:_MOST_PROPERTIES]]
