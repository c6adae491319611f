"""The data files of the package, and their manifest."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from .errors import DamagedFile

FOLDER = "nycflights13"


@dataclass(frozen=True)
class StoredTable:
    """One Parquet file of the package."""

    name: str
    rows: int
    columns: int
    bytes: int
    memory_bytes: int  # As a pandas data frame, measured when the file was made.
    sha256: str


def path_of(table: str) -> Path:
    """Return the path of a table in the installed package."""
    return Path(str(files(__package__))) / FOLDER / f"{table}.parquet"


@cache
def stored_tables() -> dict[str, StoredTable]:
    described: dict[str, Any] = _manifest()["tables"]
    return {name: StoredTable(name, **facts) for name, facts in described.items()}


def source() -> dict[str, str]:
    """Return the source of the tables: package, address, checksum and licence."""
    found: dict[str, str] = _manifest()["source"]
    return found


def verify() -> None:
    """Compare the checksums of all files with the manifest's.

    Raises
    ------
    DamagedFile
        A file is missing or damaged.
    """
    for name, table in stored_tables().items():
        path = path_of(name)
        if not path.is_file():
            raise DamagedFile(f"The file of the table '{name}' is missing ({path}). Install gpucluster again.")
        if hashlib.sha256(path.read_bytes()).hexdigest() != table.sha256:
            raise DamagedFile(f"{path} is not the file that came with gpucluster. Install gpucluster again.")


@cache
def _manifest() -> dict[str, Any]:
    text = (files(__package__) / FOLDER / "manifest.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
