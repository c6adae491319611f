"""Files of a profile: checked paths, and Dask's own performance report."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..protocol.errors import InvalidRequest

if TYPE_CHECKING:
    from distributed import Client

_MOST_SHOWN = 100
_ANSWER_SECONDS = 60


def checked_path(path: str | Path | None, option: str, suffix: str | None = None) -> Path | None:
    """Return the checked path of a new file; a name without an ending gets the suffix. Raises `InvalidRequest`."""
    if path is None:
        return None
    if not str(path).strip() or "\0" in str(path):
        raise InvalidRequest(f"{option}: must be a file name.")
    try:
        if str(path).endswith(os.sep):
            raise InvalidRequest(f"{option}: {path} is a directory; specify a file name.")
        return _checked(Path(path).expanduser(), option, suffix)
    except (OSError, RuntimeError, ValueError) as error:
        # A name that is too long, an unreadable folder, or a missing home directory.
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        name = str(path) if len(str(path)) <= _MOST_SHOWN else f"{str(path)[:_MOST_SHOWN]}…"
        raise InvalidRequest(f"{option}: {name} cannot be used: {why.rstrip('.')}. Choose another name.") from error


def _checked(found: Path, option: str, suffix: str | None) -> Path:
    if suffix is not None and not found.suffix and not found.is_dir():
        found = found.with_suffix(suffix)
    if found.is_dir():
        raise InvalidRequest(f"{option}: {found} is a directory; specify a file name.")
    folder = found.parent
    if not folder.is_dir():
        raise InvalidRequest(f"{option}: directory {folder} does not exist.")
    with suppress(FileNotFoundError):
        found.stat()  # A name that is too long raises; from Python 3.14 on, exists() is false for it.
    if not os.access(found if found.exists() else folder, os.W_OK):
        raise InvalidRequest(f"{option}: {found} is not writable.")
    return found


class DaskReport:
    """``distributed.performance_report`` of the measuring client. Its page loads BokehJS from the network."""

    def __init__(self, client: Client, file: Path) -> None:
        from distributed import performance_report

        self._client = client
        self._file = file
        self._report: Any = performance_report(filename=str(file))
        self._do(self._report.__aenter__)

    def stop(self) -> str:
        """Write the file; returns a message about the result."""
        try:
            # Dask would find this package's frames instead of the calling code.
            self._do(self._report.__aexit__, None, None, None, code="The profiled code.")
        except Exception as error:
            # The scheduler may be gone, or the disk full; the figures must not be lost because of it.
            return f"Dask's performance report could not be written to {self._file}: {error or type(error).__name__}."
        return f"Dask's performance report is in {self._file}."

    def _do(self, step: Any, *args: Any, **options: Any) -> None:
        async def as_current() -> None:
            with self._client.as_current():
                await step(*args, **options)

        self._client.sync(as_current, callback_timeout=_ANSWER_SECONDS)
