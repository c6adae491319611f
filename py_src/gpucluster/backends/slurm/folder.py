"""The private folder of a cluster on shared storage: what its jobs read, and what they print."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import shlex
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ...operating_system.files import read_own_file
from ...protocol.errors import PreflightFailed
from ...protocol.plain_text import printable
from .jobs import Job

OWN = Path("/@own@")  # Placeholder for the folder that a job makes on its node.
_ID = re.compile(r"[0-9a-f]{8}")
_PLAIN = re.compile(r"/[A-Za-z0-9_.+@=:,/-]*")
_TAIL_BYTES = 16384
_NOISE = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ - )|^\s*$|^slurmstepd: error: \*\*\* JOB")


def base_folder(shared_directory: str | None) -> Path:
    return Path(shared_directory) if shared_directory else Path.home() / ".gpucluster" / "slurm"


class JobFolder:
    """Folder of one cluster.

    `base`: from ``base_folder``. `shared`: whether the nodes see it. If not, each job receives a copy of its contents.
    """

    def __init__(self, base: Path, cluster_id: str, *, shared: bool = True) -> None:
        self.base = base
        self.shared = shared
        self.path = base / cluster_id
        self.on_nodes = self.path if shared else OWN / "given"  # Where jobs find what is in it.
        self.tls = self.on_nodes / "tls"
        self.environment = self.on_nodes / "environment"
        self.log = self.path / "log"

    def must_be_usable(self) -> None:
        """Make the base, for this user only."""
        self._must_be_plain()
        with self._explained():
            self.base.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self.base.stat()
            # On some file systems, such as /proc, nothing can be created, whatever the modes.
            os.rmdir(tempfile.mkdtemp(prefix=".looks-", dir=self.base))
        self._must_be_private(found)

    def must_be_possible(self) -> None:
        """Check that the base can be made or used, and make nothing."""
        self._must_be_plain()
        there = next(path for path in (self.base, *self.base.parents) if path.exists())
        with self._explained():
            if os.statvfs(there).f_blocks == 0 or not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, "nothing can be written there")
            if there == self.base:
                self._must_be_private(there.stat())

    def _must_be_plain(self) -> None:
        if not _PLAIN.fullmatch(str(self.base)):
            raise PreflightFailed(
                f"shared_directory: {self.base} has characters that a batch script cannot use in a path. Choose "
                "another directory that the nodes see."
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PreflightFailed(
                f"shared_directory: {self.base} cannot be used ({error.strerror}). Choose a directory that you may "
                "write to and the nodes see."
            ) from error

    def _must_be_private(self, found: os.stat_result) -> None:
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022:
            raise PreflightFailed(
                f"shared_directory: others may change what is in {self.base}. Choose one of your own directories "
                "that only you may write to."
            )

    def make(self, contents: Mapping[str, str]) -> None:
        """Write the files for the jobs, of mode 0600 in folders of mode 0700."""
        for path in (self.path, self.path / "tls", self.log):
            path.mkdir(mode=0o700)
        for name, text in contents.items():
            _write(self.path / name, text)

    async def printed(self, job_name: str, job_id: str, job: Job | None) -> list[str]:
        """Return the end of a job's output, the last line last; without shared storage, its comment."""
        if self.shared:
            return await asyncio.to_thread(self.last_words, job_name, job_id)
        return [printable(job.comment, 300)] if job is not None and job.comment and "://" not in job.comment else []

    def last_words(self, job_name: str, job_id: str) -> list[str]:
        """Return the end of a job's output, the last line last."""
        try:
            with open(self.output(job_name, job_id), "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
                # Zeros are printed, or left by a node that went down while writing.
                text = file.read().replace(b"\0", b"").decode(errors="replace")
        except OSError:
            return []
        return [printable(line.rstrip(), 300) for line in text.splitlines()[-40:]]

    def forget_printed(self, job_name: str, job_id: str) -> None:
        if self.shared:
            with suppress(OSError):
                self.output(job_name, job_id).unlink()

    def was_there(self, job_name: str, job_id: str) -> bool:
        """Return whether a job has found this folder on its node, and so could print."""
        return self.output(job_name, job_id).exists()

    def output(self, job_name: str = "%x", job_id: str = "%j") -> Path:
        """Return the file that a job prints to; Slurm fills in the defaults."""
        return Path(os.devnull) if not self.shared else self.log / f"{job_name}-{job_id}.log"

    def remove(self) -> None:
        if _ID.fullmatch(self.path.name):
            shutil.rmtree(self.path, ignore_errors=True)


def contents(tls: Path | None, variables: Mapping[str, str], dashboard_prefix: str) -> dict[str, str]:
    """Return the files that the jobs read, by their names.

    * `tls`: folder with the cluster's credentials.
    * `variables`: environment variables of the workers; they may be secret, so they are not in the script.
    * `dashboard_prefix`: secret path prefix of the dashboard, for a scheduler in a job.
    """
    usable = {name: value for name, value in variables.items() if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)}
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in usable.items()]
    found = {"environment": "".join(lines), "prefix": dashboard_prefix}
    if tls is not None:
        found |= {f"tls/{name}": read_own_file(tls / name).decode() for name in ("ca.pem", "cert.pem", "key.pem")}
    return found


def error_line(lines: list[str]) -> str | None:
    """Return the line that best explains a failure, without a full stop; ``None``: nothing was printed."""
    worth = [line.strip() for line in lines if not _NOISE.search(line)]
    for line in worth[::-1]:
        if "error" in line.lower() or "not found" in line.lower() or "No such file" in line:
            return re.sub(r"^\S*/?slurm_script: line \d+: ", "", line).rstrip(".")
    return worth[-1].rstrip(".") if worth else None


def _write(path: Path, text: str) -> None:
    with open(path, "x", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, 0o600)) as file:
        file.write(text)
