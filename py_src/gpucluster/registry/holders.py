"""The processes that keep something running: the holder of a lease, and those that want a standby.

A lease's holder is a running process that holds a lock until it is done or dies. A standby ends when the last process
that wants it is gone, however that happened.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import Literal

from pydantic import ValidationError

from ..operating_system.files import read_own_file
from ..protocol.errors import InvalidState
from ..protocol.models import Lease
from . import lock
from .directory import write_private
from .record import Folder, ProcessIdentity, identify, is_alive

Scope = Literal["cell", "block", "command"]


class Hold:
    """This process's hold on the lease in a folder. It ends with ``release``, this object, or this process."""

    def __init__(self, folder: Folder) -> None:
        self._pid = os.getpid()
        self._descriptor = lock.take(folder.leased)
        if self._descriptor is None:
            raise InvalidState("Another process has taken this lease.")

    @property
    def holds(self) -> bool:
        return self._descriptor is not None and os.getpid() == self._pid

    def release(self) -> None:
        """Release the lease. A second call is harmless."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        with suppress(OSError):
            if os.getpid() == self._pid:
                # Closing is not enough: children that were forked meanwhile have the descriptor as well.
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)

    def __del__(self) -> None:
        self.release()


def lease_of_this_process(scope: Scope, holder: str) -> Lease:
    me = identify(os.getpid())
    assert me is not None
    return Lease(scope=scope, holder=holder, pid=me.pid, birth=me.birth)


def why_lease_ended(folder: Folder, lease: Lease) -> str | None:
    """Return why a lease is over; ``None`` while its holder lives, even suspended, and wants it."""
    if not is_alive(ProcessIdentity(pid=lease.pid, birth=lease.birth)):
        return f"The holder of the lease ({lease.holder}) ended without releasing it."
    if not lock.is_held(folder.leased):
        return f"The {lease.scope} that held the lease has ended."
    return None


def want_standby(folder: Folder) -> None:
    """Note that this process wants the standby. Call it while holding the registry's lock."""
    me = identify(os.getpid())
    assert me is not None
    folder.wanted_by.mkdir(mode=0o700, exist_ok=True)
    write_private(folder.wanted_by / str(me.pid), me.model_dump_json())


def release_standby(folder: Folder) -> bool:
    try:
        (folder.wanted_by / str(os.getpid())).unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def is_standby_wanted(folder: Folder) -> bool:
    with suppress(FileNotFoundError):
        for path in folder.wanted_by.iterdir():
            with suppress(OSError, ValidationError):
                if is_alive(ProcessIdentity.model_validate_json(read_own_file(path))):
                    return True
    return False
