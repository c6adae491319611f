"""Write a file whole or not at all. Imports the standard library only: the Jupyter server uses it too."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def overwrite_text(path: Path, text: str) -> None:
    """Overwrite an existing file where none can be made beside it. Readers may see a part of the text."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.truncate()


def replace_text(path: Path, text: str, *, mode: int = 0o600, durable: bool = False) -> None:
    """Replace a file: readers see the old or the new text, never a part.

    A link there is replaced, not followed, and the name of the temporary file beside it cannot be guessed.

    * `path`: in an existing folder.
    * `text`: written in UTF-8, with unchanged line ends.
    * `durable`: whether it must survive a loss of power once this returns, which takes longer.

    Raises `OSError`: the previous file is still there.
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
