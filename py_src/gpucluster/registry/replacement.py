"""Write a file whole or not at all. Imports the standard library only: the Jupyter server uses it too."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def overwrite_text(path: Path, text: str) -> None:
    """Put a text into a file that is there, where no file can be made beside it. Readers may see a part of it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.truncate()


def replace_text(path: Path, text: str, *, mode: int = 0o600, durable: bool = False) -> None:
    """Put a text in the place of a file: readers see the old or the new one, never a part.

    A link there is replaced, not followed, and nobody can know the name of the file that is written beside it.

    * `path`: in a folder that is there.
    * `text`: written in UTF-8, line ends as they are.
    * `mode`: who may read the file.
    * `durable`: whether it is to outlive a loss of power from the moment this returns, which takes longer.

    Raises `OSError`: the file before is still there.
    """
    descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=".gpucluster-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside)
