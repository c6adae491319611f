"""Packages of the distribution that tests need: installed by the first process of tests that misses them."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

LISTS = "/var/lib/apt/lists"
# Another process may be installing something, too.
APT = ("apt-get", "-qq", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::Retries=1")
PATIENCE_SECONDS = 170


class NotInstalled(Exception):
    """A program is missing, and cannot be installed; the message has no full stop."""


def installed(packages: Sequence[str], there: Callable[[], object]) -> None:
    """Install packages of Debian if their programs are missing and this process may.

    `there`: returns whether the programs are there. Raises `NotInstalled`.
    """
    if there():
        return
    wanted = f"apt-get install {' '.join(packages)}"
    if os.geteuid() != 0:
        raise NotInstalled(f"let root run '{wanted}' (and these tests)")
    if shutil.which("apt-get") is None:
        raise NotInstalled(f"the packages {' and '.join(packages)} of Debian, by other names perhaps")
    output = ""
    with _one_at_a_time():
        for words in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
            if there():  # Another process of tests was faster.
                return
            output = _run([*APT, *words])
    if not there():
        raise NotInstalled(f"'{wanted}', which did not work here: {output[-200:] or 'it said nothing'}")


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    # 'update' does not wait for another one, as 'install' does.
    folder = os.open(LISTS if os.path.isdir(LISTS) else "/", os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _run(command: Sequence[str]) -> str:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no end in {PATIENCE_SECONDS} seconds"
    return (done.stderr or done.stdout).strip() if done.returncode else ""
