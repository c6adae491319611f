"""What is written down about one supervisor, and the files of its folder."""

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
    """Of a cluster that a standby has not taken yet: the process that tells it to."""
    fingerprint: str | None = None
    """Of a standby: what a request must match to use it."""
    ready: bool = False
    """Of a standby: whether it has warmed up."""
    readable: bool = Field(True, exclude=True)
    """Whether this version understands all of it; what it does not understand is never written."""


class DashboardAddress(BaseModel):
    """Where the dashboard listens. Secret: whoever knows it can watch the cluster from this machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prefix: str
    """First part of every path, without slashes: a secret, unless somebody else serves the pages; may be empty then."""
    host: str | None = None
    port: int | None = None
    """Where no port is open: none, until somebody asks for a link."""
    socket: str | None = None
    """Path of a unix socket that the same pages are served on."""

    @property
    def url(self) -> str | None:
        """The status page, for a browser on this machine; None where no port is open."""
        if self.host is None or self.port is None:
            return None
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.below}/status"

    @property
    def below(self) -> str:
        """What comes before every path: a slash and the prefix, or nothing."""
        return f"/{self.prefix}" if self.prefix else ""


@dataclass(frozen=True)
class Folder:
    """The folder of one supervisor."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def state(self) -> Path:
        """The record, replaced atomically before each next step."""
        return self.path / "state.json"

    @property
    def lock(self) -> Path:
        """Held by the supervisor from before its start until its death."""
        return self.path / "lock"

    @property
    def process(self) -> Path:
        """A ``ProcessIdentity``: whom to kill when the supervisor hangs before its first record."""
        return self.path / "process.json"

    @property
    def reserve(self) -> Path:
        """Room on the disk that is given up for the record when the disk is full."""
        return self.path / "reserve"

    @property
    def socket(self) -> Path:
        """Unix socket of the supervisor's HTTP interface."""
        return self.path / "socket"

    @property
    def secret(self) -> Path:
        """What each request to the socket has to know."""
        return self.path / "secret"

    @property
    def wanted_by(self) -> Path:
        """Of a standby: folder with a ``ProcessIdentity`` of each process that wants it."""
        return self.path / "wanted-by"

    @property
    def leased(self) -> Path:
        """Of a lease: held by whoever has it, for as long as he wants it."""
        return self.path / "leased"

    @property
    def killed(self) -> Path:
        """A sentence of whoever killed the supervisor because it hung: the reason of the cluster's end."""
        return self.path / "killed"

    @property
    def log(self) -> Path:
        """Everything the supervisor and its workers print."""
        return self.path / "log"

    @property
    def activity(self) -> Path:
        """What has happened to the cluster, as JSON lines."""
        return self.path / "activity"

    @property
    def cells(self) -> Path:
        """What cells have had computed, as JSON lines; none before the first task."""
        return self.path / "cells"

    @property
    def profile(self) -> Path:
        """What the last cell that was profiled did, as JSON."""
        return self.path / "profile.json"

    def read_profile(self) -> bytes:
        """Return what is in it. Raises `OSError`: there is none, or something else in its place."""
        return read_own_file(self.profile)

    @property
    def remembered(self) -> Path:
        """What the supervisor has started elsewhere; see ``remembering``. Gone when nothing is left."""
        return self.path / "remembered.json"

    @property
    def submitted(self) -> Path:
        """What was handed to whoever starts the workers, such as a batch script; none where nothing was."""
        return self.path / "submitted"

    @property
    def reaping(self) -> Path:
        """Held by the process that ends what a dead supervisor has left; it says who has tried, and when."""
        return self.path / "reaping"

    @property
    def tls(self) -> Path:
        """Folder of ``ca.pem``, ``cert.pem`` and ``key.pem``."""
        return self.path / "tls"

    @property
    def comm(self) -> Path:
        """Folder of the unix sockets of scheduler, workers and dashboard, with their secret."""
        return self.path / "comm"

    @property
    def links(self) -> Path:
        """Links that let others look at the cluster, with hashes of what they are opened with; see ``links``."""
        return self.path / "links.json"

    @property
    def links_lock(self) -> Path:
        """Held by whoever changes the links."""
        return self.path / "links.lock"

    @property
    def dashboard(self) -> Path:
        """A ``DashboardAddress``."""
        return self.path / "dashboard.json"

    @property
    def multiprocessing(self) -> Path:
        """Folder of what Python's ``multiprocessing`` keeps in files."""
        return self.path / FOLDER

    @property
    def scratch(self) -> Path:
        """Spilled data, unless another directory was chosen."""
        return self.path / "scratch"

    def scratch_in(self, directory: str) -> Path:
        """Spilled data, in a directory that was chosen."""
        return Path(directory) / f"gpucluster-{self.id}"

    def touch(self) -> None:
        """Make all files look recently used."""
        for folder in (self.path, self.tls, self.comm):
            with suppress(FileNotFoundError):
                for path in (folder, *folder.iterdir()):
                    with suppress(FileNotFoundError):
                        os.utime(path)
