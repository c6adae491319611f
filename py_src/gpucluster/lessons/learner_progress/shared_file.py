"""What a class sees of a learner: one small file in a folder that both reach. No code, no answers.

It has numbers, and which properties the last check found missing. The learner's kernel writes it; the instructor's side
reads it in `gpucluster.lessons.classroom`.
"""

import hashlib
import re
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from ...protocol.errors import GPUClusterError, InvalidRequest
from ...registry.replacement import replace_text
from .model import ExerciseProgress, Progress, State

SHARED_VERSION: Final = 1
NAME_LENGTH = 60
MOST_EXERCISES = 500
LARGEST_COUNT = 1_000_000
LONGEST_MINUTES: Final = 90
"""Between two exercises, a longer time is a break and is not shared."""
_EXERCISE = re.compile(r"[0-9]{2}\.[0-9]{1,2}")


def _printable(text: str) -> str:
    # Control characters could move the cursor of a terminal; direction marks could turn a line round.
    if not text.isprintable():
        raise ValueError("has characters that cannot be printed")
    return text


_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159")
"""Characters that count as printable and show nothing."""


def check_name(text: str) -> str:
    """Return a name; raise a sentence unless it can be seen and told from others.

    Raises
    ------
    ValueError
        Says what is wrong.
    """
    _printable(text)
    if _BLANK & set(text) or not any(unicodedata.category(character)[0] in "LNPS" for character in text):
        raise ValueError("is empty or has invisible characters")
    if "/" in text:
        raise ValueError("must have no '/'")
    return text


_Text = Annotated[str, Field(max_length=400), AfterValidator(_printable)]
_Name = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH), AfterValidator(check_name)]
_Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
_Exercise = Annotated[str, Field(pattern=r"^[0-9]{2}\.[0-9]{1,2}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SharedExercise(_Part):
    """One exercise of one learner."""

    state: State
    attempts: _Count
    hints: int = Field(ge=0, le=3)
    solution_seen: bool
    last_at: AwareDatetime
    minutes: float | None = Field(None, ge=0, le=LONGEST_MINUTES, allow_inf_nan=False, description="Until it passed.")
    failed: list[_Text] = Field(default_factory=list, max_length=20)


class SharedProgress(_Part):
    """What one learner lets the class see."""

    kind: Literal["gpucluster-shared-progress"] = "gpucluster-shared-progress"
    schema_version: Literal[1] = SHARED_VERSION
    name: _Name
    updated_at: AwareDatetime
    exercises: dict[_Exercise, SharedExercise] = Field(max_length=MOST_EXERCISES)
    questions_answered: _Count = 0
    questions_right: _Count = 0


class CannotShare(GPUClusterError):
    """The shared folder cannot be written."""

    code = "cannot_share"


class StillShared(GPUClusterError):
    """What a class sees of a learner could not be removed."""

    code = "still_shared"
    http_status = 409


def shared_file(progress: Progress) -> Path:
    """Return where this learner's file is: the name in plain letters, and a part that tells two of that name apart."""
    if progress.sharing.folder is None:
        raise InvalidRequest("You are not sharing your progress. To start: gpucluster lessons share FOLDER")
    plain = unicodedata.normalize("NFKD", progress.sharing.name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "learner"
    own = hashlib.sha256(f"{progress.created_at.isoformat()}\n{progress.sharing.name}".encode()).hexdigest()[:10]
    return Path(progress.sharing.folder) / f"{slug}-{own}.json"


def write_shared_file(progress: Progress) -> Path:
    """Write this learner's file as the class is to see it now; return where it is.

    Raises
    ------
    CannotShare
        When it cannot be written, or no class could read it.
    """
    target = shared_file(progress)
    try:
        text = _shared(progress).model_dump_json(indent=1) + "\n"
    except ValidationError:
        raise CannotShare("Your progress cannot be shared: it has a name or number that is not valid.") from None
    try:
        replace_text(target, text, mode=0o644)  # the instructor is another user
    except OSError as error:
        raise CannotShare(f"Your progress cannot be shared in {target.parent}: {error.strerror}.") from error
    return target


def remove_shared_file(progress: Progress) -> str | None:
    """Remove this learner's file, if there is one; return the reason if it could not be removed, else None."""
    if progress.sharing.folder is None:
        return None
    path = shared_file(progress)
    try:
        path.unlink(missing_ok=True)
    except NotADirectoryError:
        return None
    except OSError as error:
        return f"Your file {path} could not be removed: {error.strerror}. Your class may still see what is in it."
    return None


def publish(progress: Progress) -> str | None:
    """Bring the shared file up to date, if this learner shares.

    Returns
    -------
    str or None
        Why it could not be written; a lesson continues without it.
    """
    if progress.sharing.folder is None:
        return None
    try:
        write_shared_file(progress)
    except GPUClusterError as error:
        return str(error)
    return None


def _shared(progress: Progress) -> SharedProgress:
    questions = progress.questions.values()
    ours = [(id, entry) for id, entry in progress.exercises.items() if _EXERCISE.fullmatch(id)]
    newest = sorted(ours, key=lambda item: item[1].last_at)[-MOST_EXERCISES:]
    minutes = _minutes(progress)
    return SharedProgress(
        name=progress.sharing.name,
        updated_at=progress.updated_at,
        exercises={id: _exercise(entry, minutes.get(id)) for id, entry in sorted(newest, key=lambda item: item[0])},
        questions_answered=len(questions),
        questions_right=sum(question.last_right for question in questions),
    )


def _minutes(progress: Progress) -> dict[str, float]:
    """Return how long exercises took: from the first pass of the one solved before, in the same lesson."""
    passed = sorted((entry.first_passed_at, id) for id, entry in progress.exercises.items() if entry.first_passed_at)
    found = {}
    for (before, earlier), (at, id) in pairwise(passed):
        minutes = (at - before).total_seconds() / 60
        if earlier.partition(".")[0] == id.partition(".")[0] and 0 < minutes <= LONGEST_MINUTES:
            found[id] = round(minutes, 1)
    return found


def _exercise(entry: ExerciseProgress, minutes: float | None) -> SharedExercise:
    failed = [text for text in entry.last_failed if text.isprintable()][:20]
    return SharedExercise(
        state=entry.state, attempts=min(entry.attempts, LARGEST_COUNT), hints=entry.hints,
        solution_seen=entry.solution_seen, last_at=entry.last_at, minutes=minutes, failed=failed,
    )  # fmt: skip
