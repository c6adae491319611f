"""Reading and writing the progress file: one writer at a time, never half a file, never over one we cannot read."""

import errno
import fcntl
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from ...operating_system.files import NotPlain, read_plain_file
from ...protocol.errors import GPUClusterError
from ...registry.replacement import replace_text
from .model import SCHEMA_VERSION, Progress, now
from .shared_file import StillShared, publish, remove_shared_file

# Where the learner's progress file is.


FILE_NAME = "gpucluster-progress.json"
FOLDER_VARIABLE = "GPUCLUSTER_LESSONS_FOLDER"
"""Environment variable that names the folder of the learner's lessons."""

COPIES = "gpucluster-lessons"
"""Name of the folder that ``gpucluster lab`` and the panel copy the lessons into."""

_LESSON = re.compile(r"[0-9]{2}-[a-z0-9-]+")


def learner_folder(start: Path | None = None) -> Path:
    """Return the folder of the learner's lessons, which holds the progress file.

    In this order: the folder that ``GPUCLUSTER_LESSONS_FOLDER`` names; the nearest folder at or above the current
    one that has the file or is named ``gpucluster-lessons``; that folder within the current one; the parent, when the
    current folder is named like a lesson; the current folder. Other users' files and folders do not count, nor does a
    file in a world-writable folder further up, such as ``/tmp``.

    Parameters
    ----------
    start : pathlib.Path, optional
        Taken as the current folder.
    """
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named).expanduser().absolute()
    here = (start or Path.cwd()).absolute()
    for folder in (here, *here.parents):
        # The second condition: a file further up, made by accident, must not separate this from the panel.
        has_file = _is_own(folder / FILE_NAME, stat.S_ISREG)
        if folder.name == COPIES or (has_file and (folder == here or not _is_for_everybody(folder))):
            return folder
    if _is_own(here / COPIES, stat.S_ISDIR):
        return here / COPIES
    return here.parent if _LESSON.fullmatch(here.name) else here


def _is_own(path: Path, is_kind: Callable[[int], bool]) -> bool:
    try:
        facts = path.lstat()
    except OSError:
        return False
    return is_kind(facts.st_mode) and facts.st_uid == os.getuid()


def _is_for_everybody(folder: Path) -> bool:
    """Whether anybody may put a file there."""
    return bool(folder.stat().st_mode & stat.S_IWOTH)


def progress_file(folder: Path | None = None) -> Path:
    """Return the progress file of a folder, or of the learner's own; it need not exist."""
    return (folder or learner_folder()) / FILE_NAME


# Reading and writing the progress file: one writer at a time, never half a file, never over one we cannot read.


LARGEST_FILE = 8 * 2**20
_WAIT_S = 5.0
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS}


class ProgressUnreadable(GPUClusterError):
    """The progress file cannot be used; it was left as it is."""

    code = "progress_unreadable"
    http_status = 409


def load(folder: Path | None = None) -> Progress:
    """Read the learner's progress.

    Parameters
    ----------
    folder : pathlib.Path, optional
        Folder of the progress file. Left out: see `learner_folder`.

    Returns
    -------
    Progress
        Empty when there is no file yet.

    Raises
    ------
    ProgressUnreadable
        With a sentence that says what to do.
    """
    return _read(progress_file(folder)) or Progress()


@contextmanager
def edit(folder: Path | None = None) -> Iterator[Progress]:
    """Change the learner's progress inside a ``with`` block; it is written when the block ends without an error."""
    path = progress_file(folder)
    with _lock(path):
        progress = _read(path) or Progress()
        yield progress
        progress.updated_at = now()
        _write(path, progress)
        # Still under the lock: else what is older could come last, or after the learner has stopped.
        progress.not_shared = publish(progress)


@contextmanager
def locked(folder: Path | None = None) -> Iterator[Progress]:
    """Read the learner's progress and keep all writers waiting while the ``with`` block runs; nothing is written."""
    path = progress_file(folder)
    with _lock(path):
        yield _read(path) or Progress()


def forget(folder: Path | None = None) -> bool:
    """Delete the learner's progress, also a file that cannot be read; return whether there was one.

    What a class sees of it is removed too.

    Raises
    ------
    ProgressUnreadable
        When it cannot be deleted.
    StillShared
        When it was deleted, and what a class sees could not be removed.
    """
    path = progress_file(folder)
    if not path.exists():
        return False
    with _lock(path):
        left = None
        with suppress(ProgressUnreadable):
            left = remove_shared_file(_read(path) or Progress())
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise ProgressUnreadable(f"{path} could not be deleted: {error.strerror}.") from None
    if left is not None:
        raise StillShared(f"Your progress was deleted. {left}")
    return True


def _read(path: Path) -> Progress | None:
    try:
        text = read_plain_file(path, LARGEST_FILE).decode("utf-8")
    except FileNotFoundError:
        return None
    except NotPlain as error:
        raise _unreadable(path, f"it {error}") from None
    except OSError as error:
        raise _unreadable(path, error.strerror) from None
    except UnicodeDecodeError:
        raise _unreadable(path, "it is not UTF-8 text") from None
    try:
        content = json.loads(text)
        version = content.get("schema_version") if isinstance(content, dict) else None
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise ProgressUnreadable(
                f"{path} was written by a newer gpucluster. Update gpucluster here, or work in another folder."
            )
        return Progress.model_validate_json(text)
    except (ValueError, ValidationError, RecursionError):
        raise ProgressUnreadable(
            f"{path} is corrupted and was not changed. Restore a good copy, or move it away to start a new one."
        ) from None


def _unreadable(path: Path, why: str | None) -> ProgressUnreadable:
    return ProgressUnreadable(f"{path} cannot be read: {why}. Move it away to start a new one.")


def _text_of(path: Path, progress: Progress) -> str:
    """Return the text of the file, parsed once before it is written: an unreadable file would lose everything."""
    try:
        text = progress.model_dump_json(indent=1, warnings=False) + "\n"
        json.loads(text)
        Progress.model_validate_json(text)
    except (ValueError, RecursionError):
        raise ProgressUnreadable(f"{path} was not updated: a value is not valid.") from None
    if len(text.encode()) > LARGEST_FILE:
        raise ProgressUnreadable(f"{path} would become larger than {LARGEST_FILE // 2**20} MiB; it is unchanged.")
    return text


def _write(path: Path, progress: Progress) -> None:
    text = _text_of(path, progress)
    try:
        # A link, such as one into a home folder that outlives the machine, stays a link.
        replace_text(path.resolve(), text, durable=True)
    except OSError as error:
        raise ProgressUnreadable(f"Your progress cannot be written to {path}: {error.strerror}.") from None


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the lock beside the file. The file itself is replaced on each write, and its lock with it."""
    lock = path.with_name(f".{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ProgressUnreadable(f"Your progress cannot be written to {path}: {error.strerror}.") from None
    try:
        _wait_for(descriptor, path)
        yield
    finally:
        os.close(descriptor)  # and with it the lock


def _wait_for(descriptor: int, path: Path) -> None:
    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise ProgressUnreadable(f"Another program holds {path}. Try again in a moment.") from None
            time.sleep(0.02)
        except OSError as error:
            if error.errno in _NO_LOCKS:  # some network folders know no locks: the last writer wins there
                return
            raise ProgressUnreadable(f"{path} cannot be locked: {error.strerror}.") from None
