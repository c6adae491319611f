"""A second user of this machine with the same programs, without changes to the system.

Where this Python lies below a private directory (``/root``), other users get a view of the file system, in a mount
namespace, in which only the Python exists below it.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

ACCOUNTS = ("games", "backup", "nobody", "news", "uucp", "lp", "list", "irc")  # words: ok
"""Accounts of distributions without a login."""
_VIEW = """
closed=$1; shift
place=$(mktemp -d) && mount -t tmpfs -o mode=755 none "$place" || exit 1
while [ "$1" != -- ]; do mkdir -p "$place/$1" && mount --rbind "$closed/$1" "$place/$1" || exit 1; shift; done
shift
mount --move "$place" "$closed" && rmdir "$place" && exec "$@"
"""


def open_to_others() -> list[str]:
    """Return the words before a command by which all users reach this Python; none if they do anyway."""
    needed = {Path(path).resolve() for path in (sys.executable, sys.prefix, sys.base_prefix, Path(__file__).parents[1])}
    command: list[str] = []
    closed = {parent for path in needed for parent in path.parents if not parent.stat().st_mode & 0o001}
    for top in sorted(closed):
        below = {path for path in needed if path.is_relative_to(top)}
        # For a file, its directory.
        inside = sorted({str((path if path.is_dir() else path.parent).relative_to(top)) for path in below})
        unshare = [] if command else ["unshare", "--mount", "--propagation", "private"]
        command += [*unshare, "sh", "-c", _VIEW, "sh", str(top), *inside, "--"]
    return command


def free_account() -> tuple[pwd.struct_passwd, int]:
    """Return an account that no other test of this machine uses, and the descriptor of its lock.

    Some tests end all processes of their user or expect that there are none.
    """
    accounts = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in ACCOUNTS:
        if name in accounts:
            held = os.open(f"/tmp/gpcother-{name}.lock", os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(held)
            else:
                return accounts[name], held
    pytest.skip("needs another user: the accounts of this machine that tests may use are in use")


class Process(subprocess.Popen[str]):
    """A process that ends with its ``with`` block, even where a check in the block fails."""

    def __exit__(self, *error: Any) -> None:
        if error[0] is not None:
            self.kill()
        super().__exit__(*error)


class OtherUser:
    """Another user with a home directory that ``close`` removes.

    Parameters
    ----------
    environment : dict
        Additional variables, such as ``SLURM_CONF``.
    groups : sequence of int
        Groups besides the account's own.
    """

    def __init__(self, environment: dict[str, str], groups: Sequence[int] = ()) -> None:
        if os.geteuid() != 0 or shutil.which("setpriv") is None or shutil.which("unshare") is None:
            pytest.skip("needs a second user: root, setpriv and unshare (util-linux)")
        self._account, self._lock = free_account()
        self.name, self.uid, gid = self._account.pw_name, self._account.pw_uid, self._account.pw_gid
        self.home = Path(tempfile.mkdtemp(prefix="gpcother", dir="/tmp"))
        os.chown(self.home, self.uid, gid)
        others = f"--groups={','.join(map(str, groups))}" if groups else "--clear-groups"
        self._become = ["setpriv", f"--reuid={self.uid}", f"--regid={gid}", others, "--no-new-privs"]
        self.environment = {
            **environment,
            "HOME": str(self.home),
            "USER": self.name,
            "GPUCLUSTER_DIR": str(self.home / "clusters"),
            "TMPDIR": "/tmp",
        }

    def start(self, *words: str, **options: Any) -> Process:
        """Start Python with these words as this user."""
        command = [*open_to_others(), *self._become, sys.executable, *words]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return Process(command, env=self.environment, cwd=self.home, **{**pipes, **options})

    def run(self, *words: str, patience: float = 90) -> str:
        """Run Python and return what it prints."""
        with self.start(*words) as process:
            out, err = process.communicate(timeout=patience)
        assert process.returncode == 0, err
        return out

    def processes(self) -> list[psutil.Process]:
        """Return this user's processes."""
        return [each for each in psutil.process_iter(["uids"]) if (ids := each.info["uids"]) and ids.real == self.uid]

    def close(self) -> None:
        """Remove the home directory and release the account."""
        shutil.rmtree(self.home, ignore_errors=True)
        os.close(self._lock)
