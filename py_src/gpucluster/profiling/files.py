"""Files that a profile writes beside its report."""

from __future__ import annotations

import os
from pathlib import Path

from ..protocol.errors import InvalidRequest

_MOST_SHOWN = 100


def checked_path(path: str | Path | None, option: str, suffix: str | None = None) -> Path | None:
    """Return where to write, found out before anything runs.

    Parameters
    ----------
    path : path or None
        What somebody typed.
    option : str
        For the sentence.
    suffix : str, optional
        Added when the name has none.

    Raises
    ------
    InvalidRequest
        When nothing can be written there.
    """
    if path is None:
        return None
    if not str(path).strip() or "\0" in str(path):
        raise InvalidRequest(f"{option}: must be the name of a file.")
    try:
        return _checked(Path(path).expanduser(), option, suffix)
    except (OSError, RuntimeError, ValueError) as error:
        # A name that is too long, a folder that may not be looked into, or the home of somebody who has none.
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        name = str(path) if len(str(path)) <= _MOST_SHOWN else f"{str(path)[:_MOST_SHOWN]}…"
        raise InvalidRequest(f"{option}: {name} cannot be a file: {why.rstrip('.')}. Give another name.") from error


def _checked(found: Path, option: str, suffix: str | None) -> Path:
    if suffix is not None and not found.suffix and not found.is_dir():
        found = found.with_suffix(suffix)
    if found.is_dir():
        raise InvalidRequest(f"{option}: {found} is a directory; give the name of a file.")
    folder = found.parent
    if not folder.is_dir():
        raise InvalidRequest(f"{option}: there is no directory {folder}.")
    if not os.access(found if found.exists() else folder, os.W_OK):
        raise InvalidRequest(f"{option}: {found} may not be written.")
    return found
