"""Turns failures to write the registry into messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..protocol.errors import RegistryUnwritable
from ..protocol.refusals import storage_refusal


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Write in a folder of the registry.

    Raises `RegistryUnwritable` with the reason. The caller handles missing and existing files.
    """
    try:
        yield
    except (FileNotFoundError, FileExistsError):
        raise
    except OSError as error:
        refusal = storage_refusal(error, folder) or f"Nothing can be written in {folder}: {error.strerror or error}."
        raise RegistryUnwritable(refusal) from error
