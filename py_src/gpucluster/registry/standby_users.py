"""Which processes want a standby: it ends when the last one is gone, however that happened."""

from __future__ import annotations

import os
from contextlib import suppress

from pydantic import ValidationError

from ..operating_system.plain_file import read_own_file
from .directory import write_private
from .process import ProcessIdentity, identify, is_alive
from .record import Folder


def want(folder: Folder) -> None:
    """Note that this process wants the standby. Call it while holding the registry's lock."""
    me = identify(os.getpid())
    assert me is not None
    folder.wanted_by.mkdir(mode=0o700, exist_ok=True)
    write_private(folder.wanted_by / str(me.pid), me.model_dump_json())


def want_no_more(folder: Folder) -> bool:
    try:
        (folder.wanted_by / str(os.getpid())).unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def is_wanted(folder: Folder) -> bool:
    """Whether a running process wants the standby."""
    with suppress(FileNotFoundError):
        for path in folder.wanted_by.iterdir():
            with suppress(OSError, ValidationError):
                if is_alive(ProcessIdentity.model_validate_json(read_own_file(path))):
                    return True
    return False
