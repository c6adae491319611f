"""What holds a submission back: what this machine offers, what a notebook really had, and what is too little."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import psutil

from ....protocol.errors import GPUClusterError
from ..grades import Protection
from . import landlock, prctl, seccomp
from .folder import confine

_MOST_OTHERS = 2_000


class Unprotected(GPUClusterError):
    """This machine cannot hold submissions back."""

    code = "unprotected"


def offered() -> Protection:
    """Return what this machine can do."""
    return Protection(landlock=landlock.version(), system_calls=seccomp.can_filter(), no_rights=True)


def refuse_too_little(found: Protection) -> None:
    """Raise unless this is enough to grade what strangers handed in."""
    missing = []
    if found.landlock < 1:
        missing.append("Landlock, which Linux has since 5.13, keeps a notebook in its own folder")
    if not found.system_calls:
        missing.append(
            "a seccomp filter keeps it from the limits of other processes and the modes of files: install libseccomp "
            "(Debian: apt install libseccomp2) and pyseccomp"
        )
    if missing:
        raise Unprotected(
            f"This machine cannot hold notebooks back, and they would run with all rights of this account. Missing: "
            f"{'; '.join(missing)}. To grade all the same, say --unprotected."
        )


def protect(root: Path) -> Protection:
    """Restrict this process, which judges, and all that it starts; return what has taken effect.

    Call it before there are threads, as not all of this holds for those that exist already.

    Parameters
    ----------
    root : pathlib.Path
        Folder of the submission, the only one in which it may write.

    Raises
    ------
    RuntimeError
        When there are threads.
    """
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("threads that exist already would not be restricted")
    no_rights = prctl.drop()
    confined = confine(root)
    filtered = seccomp.restrict(truncation=landlock.version() >= landlock.TRUNCATE)
    return Protection(landlock=landlock.version() if confined else 0, system_calls=filtered, no_rights=no_rights)


def protect_kernel(root: Path, hidden: Collection[Path]) -> None:
    """Restrict this process, a learner's kernel, beyond what it has from the process that judges.

    Raises
    ------
    RuntimeError
        When something does not take effect that this system has: then the kernel must not run.
    """
    os.umask(0o077)  # what it makes is private from the start, as modes cannot be changed
    if landlock.version() < 1:
        return
    if not confine(root, hidden=hidden):
        raise RuntimeError("Landlock is there and does not take effect")
    if landlock.version() < landlock.SCOPES and seccomp.can_filter() and not seccomp.restrict_signals(*others()):
        raise RuntimeError("libseccomp is there and does not take effect")


def others() -> tuple[list[int], set[int]]:
    """Return the numbers of the processes that run now, with their threads, and of their groups; not our own.

    Those that this process descends from come first, the grader among them: they have their place also where there are
    more than a filter can hold.
    """
    above = [process.pid for process in psutil.Process().parents()]
    numbers, groups = [], set()
    for pid in dict.fromkeys([*above, *psutil.pids()]):
        if pid == os.getpid():
            continue
        with suppress(OSError):  # it has ended meanwhile, or is none of this account's
            groups.add(os.getpgid(pid))
            os.kill(pid, 0)
            numbers += [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    return numbers[:_MOST_OTHERS], groups - {os.getpgid(0), 0, 1}
