"""The private folder of a cluster on shared storage: what its jobs read, and what they print."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

from ...protocol.errors import PreflightFailed
from ...protocol.plaintext import printable

_ID = re.compile(r"[0-9a-f]{8}")
_PLAIN = re.compile(r"/[A-Za-z0-9_.+@=:,/-]*")
_TAIL_BYTES = 16384
_NOISE = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ - )|^\s*$|^slurmstepd: error: \*\*\* JOB")


def base_folder(shared_directory: str | None) -> Path:
    """Return the folder that the folders of this user's clusters are in."""
    return Path(shared_directory) if shared_directory else Path.home() / ".gpucluster" / "slurm"


class JobFolder:
    """Folder of one cluster.

    Parameters
    ----------
    base : Path
        As ``base_folder`` told it.
    cluster_id : str
    """

    def __init__(self, base: Path, cluster_id: str) -> None:
        self.base = base
        self.path = base / cluster_id
        self.tls = self.path / "tls"
        self.environment = self.path / "environment"
        self.log = self.path / "log"

    def must_be_usable(self) -> None:
        """Make the base, for this user only.

        Raises
        ------
        PreflightFailed
            It cannot be made, or others may change what is in it.
        """
        if not _PLAIN.fullmatch(str(self.base)):
            raise PreflightFailed(
                f"shared_directory: {self.base} has letters that a batch script cannot have in a path. Choose another "
                "directory that the nodes see."
            )
        try:
            self.base.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self.base.stat()
        except OSError as error:
            raise PreflightFailed(
                f"shared_directory: {self.base} cannot be used ({error.strerror}). Choose a directory that you may "
                "write to and the nodes see."
            ) from error
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022:
            raise PreflightFailed(
                f"shared_directory: others may change what is in {self.base}. Choose a directory of your own that "
                "only you may write to."
            )

    def make(self, tls: Path | None, variables: Mapping[str, str]) -> None:
        """Write down what the jobs read: files of mode 0600 in folders of mode 0700.

        Parameters
        ----------
        tls : Path or None
            Folder with the cluster's credentials.
        variables : mapping
            Environment variables of the workers; their values may be secret, so they are not in the script.
        """
        for path in (self.path, self.tls, self.log):
            path.mkdir(mode=0o700)
        if tls is not None:
            for name in ("ca.pem", "cert.pem", "key.pem"):
                _write(self.tls / name, (tls / name).read_text())
        lines = [f"export {name}={shlex.quote(value)}\n" for name, value in variables.items() if _is_name(name)]
        _write(self.environment, "".join(lines))

    def last_words(self, job_name: str, job_id: str) -> list[str]:
        """Return the end of what a job has printed, the last line last."""
        try:
            with open(self.output(job_name, job_id), "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
                text = file.read().decode(errors="replace")
        except OSError:
            return []
        return [printable(line.rstrip(), 300) for line in text.splitlines()[-40:]]

    def output(self, job_name: str = "%x", job_id: str = "%j") -> Path:
        """Return the file that a job prints to; Slurm fills in what is left out."""
        return self.log / f"{job_name}-{job_id}.log"

    def remove(self) -> None:
        """Delete it."""
        if _ID.fullmatch(self.path.name):
            shutil.rmtree(self.path, ignore_errors=True)


def telling(lines: list[str]) -> str | None:
    """Return the line that says most about a failure, without a full stop; ``None``: nothing was printed."""
    worth = [line.strip() for line in lines if not _NOISE.search(line)]
    for line in worth[::-1]:
        if "error" in line.lower() or "not found" in line.lower() or "No such file" in line:
            return re.sub(r"^\S*/?slurm_script: line \d+: ", "", line).rstrip(".")
    return worth[-1].rstrip(".") if worth else None


def _is_name(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None


def _write(path: Path, text: str) -> None:
    with open(path, "x", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, 0o600)) as file:
        file.write(text)
