"""What holds a submission back: what this machine offers, what a notebook really had, and what is too little."""

import json
import os
import resource
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import psutil

from ....operating_system import landlock, seccomp
from ....operating_system.processes import drop_capabilities, thread_numbers
from ....operating_system.resources import SHARED_MEMORY
from ....protocol.errors import GPUClusterError
from ..grades import Protection
from ..job import Limits

# What holds a submission back: what this machine offers, what a notebook really had, and what is too little.


_MOST_PROCESSES = 2_000
_DEVICES = ("/dev/null", "/dev/zero")
_SOURCES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", str(SHARED_MEMORY))
_LARGEST_FILE = 2**30


class Unprotected(GPUClusterError):
    """This machine cannot hold submissions back."""

    code = "unprotected"


def offered() -> Protection:
    """Return what this machine can do."""
    return Protection(landlock=landlock.version(), system_calls=seccomp.can_filter(), no_rights=True)


def refuse_too_little(found: Protection) -> None:
    """Raise unless this is enough to grade what strangers handed in.

    That is a sandbox that has neither the runner nor the solutions in it, or Landlock with a filter.
    """
    if found.fenced and found.apart:
        return
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
            f"This machine cannot sandbox notebooks, and they would run with all rights of this account. Missing: "
            f"{'; '.join(missing)}. bubblewrap replaces both (Debian: apt install bubblewrap). To grade anyway, use "
            "--unprotected."
        )


def set_limits(limits: Limits) -> None:
    """Set limits of the system that hold for this process and for each that it starts."""
    seconds = int(limits.seconds * 2)
    for kind, value in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_DATA, 2 * limits.memory_bytes),
        (resource.RLIMIT_FSIZE, _LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        _, most = resource.getrlimit(kind)
        wanted = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(kind, (wanted, wanted))


def confine(root: Path, *, unreadable: Collection[Path] = ()) -> bool:
    """Keep this process from writing anywhere but below ``root``; return whether the kernel can do that.

    Parameters
    ----------
    root : pathlib.Path
        Folder of the submission.
    unreadable : collection of pathlib.Path, optional
        Folders and files that it may not read. Their names stay visible only where Python looks for modules above
        them. Devices cannot be read either then: for the superuser, a disk is one.
    """
    graphics = list(Path("/dev").glob("nvidia*"))
    writable = [root, *(Path(name) for name in _DEVICES), *graphics]
    if not unreadable:
        return landlock.restrict(writable=writable, flat=[SHARED_MEMORY], scoped=True)
    places = [Path(entry).resolve() for entry in sys.path if entry]
    unlisted = [path for path in unreadable if not any(path.resolve().is_relative_to(place) for place in places)]
    return landlock.restrict(
        writable=writable,
        flat=[SHARED_MEMORY],
        unreadable=[*unreadable, Path("/dev")],
        unlisted=unlisted,
        readable=[*(Path(name) for name in _SOURCES), *graphics],
        scoped=True,
    )


def protect(root: Path) -> Protection:
    """Restrict this process, a runner, and all that it starts; return what has taken effect.

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
    if len(thread_numbers(os.getpid())) > 1:
        raise RuntimeError("threads that exist already would not be restricted")
    no_rights = drop_capabilities()
    confined = confine(root)
    filtered = seccomp.restrict(truncation=landlock.version() >= landlock.TRUNCATE)
    return Protection(landlock=landlock.version() if confined else 0, system_calls=filtered, no_rights=no_rights)


def protect_kernel(root: Path, unreadable: Collection[Path], *, apart: bool) -> None:
    """Restrict this process, a learner's kernel, beyond what it has from its runner.

    Parameters
    ----------
    root : pathlib.Path
        Folder of the submission.
    unreadable : collection of pathlib.Path
        Folders and files that it may not read, as far as there are such where it runs.
    apart : bool
        Whether it has its own sandbox, and nothing from its runner.

    Raises
    ------
    RuntimeError
        When something does not take effect that this system has: then the kernel must not run.
    """
    os.umask(0o077)  # what it makes is private from the start, as modes cannot be changed
    if apart and not drop_capabilities():
        raise RuntimeError("special rights cannot be given up")
    if landlock.version() >= 1 and not confine(root, unreadable=[path for path in unreadable if path.exists()]):
        raise RuntimeError("Landlock is installed but has no effect")
    if not seccomp.can_filter():
        return
    if apart and not seccomp.restrict(truncation=landlock.version() >= landlock.TRUNCATE):
        raise RuntimeError("libseccomp is installed but has no effect")
    if 1 <= landlock.version() < landlock.SCOPES and not seccomp.restrict_signals(*other_processes()):
        raise RuntimeError("libseccomp is installed but has no effect")


def other_processes() -> tuple[list[int], set[int]]:
    """Return the numbers of the processes that run now, with their threads, and of their groups; not our own.

    Those that this process descends from come first, the command that grades among them: they have their place also
    where there are more than a filter can hold.
    """
    above = [process.pid for process in psutil.Process().parents()]
    numbers, groups = [], set()
    for pid in dict.fromkeys([*above, *psutil.pids()]):
        if pid == os.getpid():
            continue
        with suppress(OSError):  # it has stopped in the meantime, or is none of this account's
            groups.add(os.getpgid(pid))
            os.kill(pid, 0)
            numbers += thread_numbers(pid)
    return numbers[:_MOST_PROCESSES], groups - {os.getpgid(0), 0, 1}


# What a kernel gives up before any code of a learner runs in it.


def restrict() -> None:
    """Give up what the keeper has written to standard input.

    Raises
    ------
    RuntimeError
        When it cannot be given up; then nothing else must run here.
    """
    about = json.loads(sys.stdin.buffer.read())
    unreadable = [Path(os.fsdecode(bytes.fromhex(path))) for path in about["unreadable"]]
    protect_kernel(Path(os.environ["HOME"]).parent, unreadable, apart=about["apart"])
