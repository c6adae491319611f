"""The learner's side of a class: say yes, and a small file in the shared folder follows one's progress."""

from pathlib import Path

from ...protocol.errors import InvalidRequest
from .model import Progress
from .shared_file import (
    NAME_LENGTH,
    StillShared,
    check_name,
    publish,
    remove_shared_file,
    shared_file,
    write_shared_file,
)
from .store import ProgressUnreadable, edit, locked


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
    ProgressUnreadable
        When the learner's own progress cannot be written; then nothing is shared.
    StillShared
        When the file that was shared before cannot be removed; the new one is there.
    """
    folder = folder.expanduser().absolute()
    name = " ".join(name.split())
    if not folder.is_dir():
        raise InvalidRequest(f"Folder {folder} not found. Ask your instructor for the folder of the class.")
    try:
        fits = 0 < len(check_name(name)) <= NAME_LENGTH
    except ValueError:
        fits = False
    if not fits:
        raise InvalidRequest(f"The name must have 1 to {NAME_LENGTH} characters that can be printed, and no '/'.")
    written: Path | None = None
    try:
        with edit(learner) as progress:
            before = progress.model_copy(deep=True)
            progress.sharing.folder, progress.sharing.name = str(folder), name
            written = write_shared_file(progress)
    except ProgressUnreadable:
        if written is not None and _shared_before(before) != written:
            written.unlink(missing_ok=True)  # a file that no progress knows of could not be taken back
        raise
    left = remove_shared_file(before) if _shared_before(before) != written else None
    if left is not None:
        raise StillShared(f"You are now sharing as {name}. {left}")
    return written


def share_again(learner: Path | None = None) -> Progress:
    """Update the shared file under the lock; see `Progress.not_shared` of the result."""
    with locked(learner) as progress:
        progress.not_shared = publish(progress)
    return progress


def withdraw(learner: Path | None = None) -> bool:
    """Stop sharing and remove the learner's file from the shared folder; return whether anything was shared.

    Raises
    ------
    StillShared
        When the file could not be removed; it is not brought up to date any more.
    """
    with edit(learner) as progress:
        if progress.sharing.folder is None:
            return False
        left = remove_shared_file(progress)
        progress.sharing.folder = None
    if left is not None:
        raise StillShared(f"You are no longer sharing your progress. {left}")
    return True


def _shared_before(progress: Progress) -> Path | None:
    return None if progress.sharing.folder is None else shared_file(progress)
