"""What keeps the registry from being written, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..protocol.errors import RegistryUnwritable
from ..protocol.refusals import storage_refusal


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Write in a folder of the registry.

    Raises `RegistryUnwritable` with the reason. A file that is missing, or there already, is left to the caller.
    """
    try:
        yield
    except (FileNotFoundError, FileExistsError):
        raise
    except OSError as error:
        refusal = storage_refusal(error, folder) or f"Nothing can be written in {folder}: {error.strerror or error}."
        raise RegistryUnwritable(refusal) from error
