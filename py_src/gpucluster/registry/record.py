"""The record of one supervisor, the files of its folder, the secret in it, and the identity of processes.

A process is identified by its pid *and* its start, so that a process with a recycled pid is never signalled.
"""

from __future__ import annotations

import hmac
import os
import secrets
import signal
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from ..operating_system import processes
from ..operating_system.files import FOLDER, NotPlain, read_own_file, read_plain_file
from ..protocol.models import ClusterModel
from .directory import write_private


class ProcessIdentity(BaseModel, frozen=True, extra="forbid"):
    """One process, for all time."""

    pid: int
    birth: str  # Opaque: equal for the same process, different for any other that ever has the same pid.


def identify(pid: int) -> ProcessIdentity | None:
    """Return the identity of a running process, ``None`` when there is none."""
    birth = processes.birth(pid)
    return None if birth is None else ProcessIdentity(pid=pid, birth=birth)


def is_alive(identity: ProcessIdentity) -> bool:
    return processes.birth(identity.pid) == identity.birth


def send_signal(identity: ProcessIdentity, number: signal.Signals) -> bool:
    """Signal exactly this process; returns whether it was sent, ``False`` when the process is gone."""
    return processes.send_signal(identity.pid, identity.birth, number)


LONGEST_RECORD = 64 * 2**20  # Bytes.
_SECRET_BYTES = 32
_LONGEST_SECRET = 4096


class Record(BaseModel, frozen=True, extra="ignore"):
    """Content of ``state.json``."""

    kind: Literal["cluster", "standby"]
    cluster: ClusterModel | None = None  # ``None`` for a standby.
    process: ProcessIdentity | None = None  # The supervisor, once it runs.
    asked_by: ProcessIdentity | None = None  # Until a standby has taken the cluster: the process that requests it to.
    fingerprint: str | None = None  # For a standby: what a request must match to use it.
    ready: bool = False  # For a standby: whether it has warmed up.
    readable: bool = Field(True, exclude=True)  # Whether this version understands it; otherwise it is never written.


class DashboardAddress(BaseModel, frozen=True, extra="forbid"):
    """Where the dashboard listens. Secret: it lets any process on this machine watch the cluster."""

    prefix: str  # First part of every path, without slashes: a secret; empty if another program serves the pages.
    host: str | None = None
    port: int | None = None  # ``None`` until a link is requested, if no port is open.
    socket: str | None = None  # Path of a unix socket that the same pages are served on.

    @property
    def url(self) -> str | None:
        """The status page, for a browser on this machine; ``None`` if no port is open."""
        if self.host is None or self.port is None:
            return None
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.below}/status"

    @property
    def below(self) -> str:
        """The prefix of every path: a slash and the secret, or nothing."""
        return f"/{self.prefix}" if self.prefix else ""


class _File:
    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, folder: Folder, owner: type[Folder]) -> Path:
        return folder.path / self._name


@dataclass(frozen=True)
class Folder:
    path: Path

    # The docstring of `gpucluster.registry` describes each file.
    state = _File("state.json")
    lock = _File("lock")
    process = _File("process.json")
    reserve = _File("reserve")
    socket = _File("socket")
    secret = _File("secret")
    wanted_by = _File("wanted-by")
    leased = _File("leased")
    killed = _File("killed")
    log = _File("log")
    activity = _File("activity")
    cells = _File("cells")
    profile = _File("profile.json")
    remembered = _File("remembered.json")
    submitted = _File("submitted")
    reaping = _File("reaping")
    tls = _File("tls")
    comm = _File("comm")
    links = _File("links.json")
    links_lock = _File("links.lock")
    dashboard = _File("dashboard.json")
    multiprocessing = _File(FOLDER)
    scratch = _File("scratch")

    @property
    def id(self) -> str:
        return self.path.name

    def read_profile(self) -> bytes:
        """Return the content of ``profile``. Raises `OSError`: there is none, or it is not a regular file."""
        return read_own_file(self.profile)

    def scratch_in(self, directory: str) -> Path:
        """Return the folder of spilled data in a chosen directory."""
        return Path(directory) / f"gpucluster-{self.id}"

    def touch(self) -> None:
        """Make all files look recently used."""
        for folder in (self.path, self.tls, self.comm):
            with suppress(FileNotFoundError):
                for path in (folder, *folder.iterdir()):
                    with suppress(FileNotFoundError):
                        os.utime(path)


def now() -> str:
    return stamped(datetime.now(UTC))


def stamped(moment: datetime, timespec: str = "milliseconds") -> str:
    return moment.isoformat(timespec=timespec).replace("+00:00", "Z")


def make_secret(folder: Folder) -> None:
    """Write the secret: a request to the cluster's process needs access to its folder.

    The socket alone accepts every process of its user, including locked-in ones, such as a submission that is graded.
    """
    write_private(folder.secret, secrets.token_urlsafe(_SECRET_BYTES))


def read_secret(folder: Folder) -> str | None:
    """Return the secret; ``None`` if there is none, as after the cluster's end."""
    try:
        content = read_plain_file(folder.secret, _LONGEST_SECRET, below=folder.path)
    except (FileNotFoundError, NotPlain):
        return None
    return content.decode("ascii", "backslashreplace")  # A damaged one is refused.


def is_secret(given: str, secret: str) -> bool:
    """Compare in a time that reveals nothing about correct parts."""
    return hmac.compare_digest(given.encode(errors="surrogateescape"), secret.encode())
