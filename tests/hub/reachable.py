"""A Python that other users can run, even if this one is in a home that is closed to them."""

import functools
import shutil
import subprocess
import sys
from pathlib import Path

_OPEN = """
set -e
held=$(mktemp -d)
mount --bind "$2" "$held"
mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir -p "$2"
mount --move "$held" "$2"
rmdir "$held"
shift 2
exec "$@"
"""
"""In a separate mount namespace, whose closed folder contains only Python."""


def _closed() -> Path | None:
    """Return the outermost folder above this Python that others may not enter."""
    above = Path(sys.base_prefix).resolve().parents
    return next((folder for folder in reversed(above) if not folder.stat().st_mode & 0o001), None)


def for_others(*command: str) -> list[str]:
    """Return the command line that runs a command in a namespace in which all users can run this Python."""
    closed = _closed()
    if closed is None:
        return [*command]
    python = str(Path(sys.base_prefix).resolve())
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", _OPEN, "sh", str(closed), python, *command]


def as_user(number: int, *command: str) -> list[str]:
    """Return the command line that runs a command as another user."""
    return for_others("setpriv", f"--reuid={number}", f"--regid={number}", "--clear-groups", *command)


@functools.cache
def why_not() -> str | None:
    """Return why other users cannot run this Python here; ``None``: they can."""
    if shutil.which("setpriv") is None:
        return "setpriv (util-linux) is not installed"
    done = subprocess.run(as_user(65_534, sys.executable, "-c", ""), capture_output=True, text=True, check=False)
    return f"other users cannot run this Python ({done.stderr.strip()[-200:]})" if done.returncode else None
