"""The record of one supervisor, and the files of its folder."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..operating_system.multiprocessing_files import FOLDER
from ..operating_system.plain_file import read_own_file
from ..protocol.models import ClusterModel
from .process import ProcessIdentity

LONGEST_RECORD = 64 * 2**20  # Bytes.


class Record(BaseModel):
    """Content of ``state.json``."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: Literal["cluster", "standby"]
    cluster: ClusterModel | None = None
    """The cluster; ``None`` for a standby."""
    process: ProcessIdentity | None = None
    """The supervisor, once it runs."""
    asked_by: ProcessIdentity | None = None
    """For a cluster that a standby has not taken yet: the process that requests it to."""
    fingerprint: str | None = None
    """For a standby: what a request must match to use it."""
    ready: bool = False
    """For a standby: whether it has warmed up."""
    readable: bool = Field(True, exclude=True)
    """Whether this version understands all of it; otherwise it is never written."""


class DashboardAddress(BaseModel):
    """Where the dashboard listens. Secret: it lets any process on this machine watch the cluster."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prefix: str
    """First part of every path, without slashes: a secret; may be empty if another program serves the pages."""
    host: str | None = None
    port: int | None = None
    """``None`` until a link is requested, if no port is open."""
    socket: str | None = None
    """Path of a unix socket that the same pages are served on."""

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
    """A file of a ``Folder``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, folder: Folder, owner: type[Folder]) -> Path:
        return folder.path / self._name


@dataclass(frozen=True)
class Folder:
    """The folder of one supervisor."""

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
