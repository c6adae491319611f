"""The learner's side: say yes, and a small file in the shared folder follows one's progress."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from ...protocol.errors import GPUClusterError, InvalidRequest
from ...registry.replacement import replace_text
from ..progress import Progress, edit, held
from ..progress.model import ExerciseProgress
from .model import LARGEST_COUNT, MOST_EXERCISES, NAME_LENGTH, SharedExercise, SharedProgress, check_name

_EXERCISE = re.compile(r"[0-9]{2}\.[0-9]{1,2}")


class CannotShare(GPUClusterError):
    """The shared folder cannot be written."""

    code = "cannot_share"


def share(folder: Path, name: str, learner: Path | None = None) -> Path:
    """Let the class see this learner's progress from now on.

    Parameters
    ----------
    folder : pathlib.Path
        The shared folder; it must exist.
    name : str
        Name that the class sees. It need not be the learner's own.
    learner : pathlib.Path, optional
        Folder of the progress file. Left out: the learner's own.

    Returns
    -------
    pathlib.Path
        The file that was written.

    Raises
    ------
    InvalidRequest
        When there is no such folder, or the name cannot be used.
    CannotShare
        When the file cannot be written there.
    """
    folder = folder.expanduser().absolute()
    name = " ".join(name.split())
    if not folder.is_dir():
        raise InvalidRequest(f"There is no folder {folder}. Ask your instructor for the folder of the class.")
    try:
        fits = 0 < len(check_name(name)) <= NAME_LENGTH
    except ValueError:
        fits = False
    if not fits:
        raise InvalidRequest(f"The name must have 1 to {NAME_LENGTH} characters that can be printed, and no '/'.")
    with edit(learner) as progress:
        before = progress.model_copy(deep=True)
        progress.sharing.folder, progress.sharing.name = str(folder), name
        written = _write(progress)
        if before.sharing.folder is not None and shared_file(before) != written:
            _remove(before)
    return written


def share_again(learner: Path | None = None) -> Progress:
    """Bring the shared file up to date while nobody else writes; see `Progress.not_shared` of what is returned."""
    with held(learner) as progress:
        progress._not_shared = publish(progress)
    return progress


def withdraw(learner: Path | None = None) -> bool:
    """Stop sharing and remove the learner's file from the shared folder; return whether anything was shared."""
    with edit(learner) as progress:
        if progress.sharing.folder is None:
            return False
        _remove(progress)
        progress.sharing.folder = None
    return True


def publish(progress: Progress) -> str | None:
    """Bring the shared file up to date, if this learner shares.

    Returns
    -------
    str or None
        Why it could not be written, in a sentence; a lesson goes on without.
    """
    if progress.sharing.folder is None:
        return None
    try:
        _write(progress)
    except GPUClusterError as error:
        return str(error)
    return None


def shared_file(progress: Progress) -> Path:
    """Return where this learner's file is: the name in plain letters, and a part that tells two of that name apart."""
    if progress.sharing.folder is None:
        raise InvalidRequest("You do not share your progress. Begin with: gpucluster lessons share FOLDER")
    plain = unicodedata.normalize("NFKD", progress.sharing.name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "learner"
    own = hashlib.sha256(f"{progress.created_at.isoformat()}\n{progress.sharing.name}".encode()).hexdigest()[:10]
    return Path(progress.sharing.folder) / f"{slug}-{own}.json"


def _write(progress: Progress) -> Path:
    target = shared_file(progress)
    try:
        text = _shared(progress).model_dump_json(indent=1) + "\n"
    except ValidationError:
        raise CannotShare("Your progress cannot be shared: it has a name or a number that no class can show.") from None
    try:
        replace_text(target, text, mode=0o644)  # the instructor is another user
    except OSError as error:
        raise CannotShare(f"Your progress cannot be shared in {target.parent}: {error.strerror}.") from error
    return target


def _remove(progress: Progress) -> None:
    with suppress(OSError):
        shared_file(progress).unlink()


def _shared(progress: Progress) -> SharedProgress:
    questions = progress.questions.values()
    ours = [(id, entry) for id, entry in progress.exercises.items() if _EXERCISE.fullmatch(id)]
    newest = sorted(ours, key=lambda item: item[1].last_at)[-MOST_EXERCISES:]
    return SharedProgress(
        name=progress.sharing.name,
        updated_at=progress.updated_at,
        exercises={id: _exercise(entry) for id, entry in sorted(newest, key=lambda item: item[0])},
        questions_answered=len(questions),
        questions_right=sum(question.last_right for question in questions),
    )


def _exercise(entry: ExerciseProgress) -> SharedExercise:
    failed = [text for text in entry.last_failed if text.isprintable()][:20]
    return SharedExercise(
        state=entry.state, attempts=min(entry.attempts, LARGEST_COUNT), hints=entry.hints,
        solution_seen=entry.solution_seen, last_at=entry.last_at, failed=failed,
    )  # fmt: skip
