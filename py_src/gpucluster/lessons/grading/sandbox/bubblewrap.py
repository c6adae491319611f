"""Bubblewrap: the runner in its own namespaces, and each of its kernels in further ones that show less.

There are two sandboxes, one in the other. The outer one has no network but its own loopback, which the runner shares
with the kernel: so a check reaches the notebook's cluster. The inner one contains neither the runner nor a solution.
Some systems do not allow nested sandboxes: then there is only the outer one, with its own process numbers, and Landlock
separates kernel and runner.
"""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from ....operating_system.resources import SHARED_MEMORY
from . import view
from .folder import Sandbox

_SEPARATE = ("--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_HELD = ("--cap-drop", "ALL", "--die-with-parent", "--new-session", "--hostname", "grading")
ORDINARY = 1000
"""The number that the superuser has in a sandbox: there it is an account like others."""


def program() -> str | None:
    """Return where bubblewrap is."""
    return shutil.which("bwrap")


def outer(sandbox: Sandbox, solutions: Path, *, apart: bool) -> list[str]:
    """Return what comes before the command of a runner.

    Parameters
    ----------
    sandbox : Sandbox
        The folder of the submission, all that can be written to.
    solutions : pathlib.Path
        Folder with the lessons and their solutions.
    apart : bool
        Whether each kernel gets its own namespaces in it.

    Raises
    ------
    ValueError
        When Python cannot be shown without a home.
    """
    shown = [*view.of_python(), solutions]
    as_whom = ["--uid", str(ORDINARY), "--gid", str(ORDINARY)] if os.getuid() == 0 else []
    # One sandbox in another can only have its own /proc where nothing of the outer one's is covered.
    numbers = ["--bind", "/proc", "/proc"] if apart else ["--unshare-pid", "--proc", "/proc"]
    return [
        program() or "bwrap", *_SEPARATE, "--unshare-net", *as_whom, *_HELD, *_system(sandbox, shown),
        "--dir", "/tmp", *numbers, "--tmpfs", str(SHARED_MEMORY),  # noqa: S108
        *_pair("--bind", sandbox.root), *_pair("--ro-bind", sandbox.settings), "--chdir", "/", "--",
    ]  # fmt: skip


def inner(sandbox: Sandbox) -> list[str]:
    """Return what comes before the command of a kernel whose runner is in the outer sandbox."""
    shown = view.of_python()
    covered = [word for path in view.masked(shown, sandbox.secrets()) for word in _covered(path)]
    return [
        program() or "bwrap", *_SEPARATE, "--unshare-pid", *_HELD, *_system(sandbox, shown), *covered,
        "--proc", "/proc", *_pair("--bind", SHARED_MEMORY), "--bind", str(sandbox.root / "tmp"), "/tmp",  # noqa: S108
        *_pair("--bind", sandbox.root), *_pair("--ro-bind", sandbox.settings),
        *_pair("--ro-bind", sandbox.root / "lessons"), "--chdir", str(sandbox.work), "--",
    ]  # fmt: skip


def _system(sandbox: Sandbox, shown: Iterable[Path]) -> list[str]:
    words: list[str] = []
    for path in view.system():
        words += _pair("--ro-bind", path)
    for link, target in view.links().items():
        words += ["--symlink", target, str(link)]
    for name in ("passwd", "group", "hosts"):
        words += ["--ro-bind", str(sandbox.settings / name), f"/etc/{name}"]
    for path in shown:
        words += _pair("--ro-bind", path)
    words += ["--dev", "/dev"]
    for device in view.graphics():
        words += ["--dev-bind", str(device), str(device)]
    return words


def _covered(path: Path) -> Sequence[str]:
    if path.is_file():
        return "--ro-bind", "/dev/null", str(path)
    return "--tmpfs", str(path), "--remount-ro", str(path)


def _pair(word: str, path: Path) -> list[str]:
    return [word, str(path), str(path)]
