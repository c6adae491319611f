"""What a submission may do: write in its own folder only, use so much memory and time, and not see the solutions."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...catalogue import NOTEBOOKS_VARIABLE, lessons, notebooks_folder
from ...progress import FOLDER_VARIABLE
from ..grades import Limits
from . import landlock

TOKEN_VARIABLE = "GPUCLUSTER_GRADING"  # noqa: S105  # marks the processes of one submission; it opens nothing
_KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "TZ", "CUDA_VISIBLE_DEVICES")
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  # semaphores lie there
_DEVICES = ("/dev/null", "/dev/zero")
_SOURCES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm")  # noqa: S108
_LARGEST_FILE = 2**30


@dataclass(frozen=True)
class Cage:
    """The folder of one submission, which is thrown away afterwards.

    Attributes
    ----------
    root : pathlib.Path
        With a short path, as sockets lie in it.
    hidden : tuple of pathlib.Path
        Folders that the notebook may not read, the one with the solutions not counted.
    """

    root: Path
    token: str
    hidden: tuple[Path, ...] = ()

    @property
    def work(self) -> Path:
        """The folder in which the notebook runs."""
        return self.root / "work"

    @property
    def socket(self) -> Path:
        """Where the referee waits for the kernel."""
        return self.root / "referee"

    def prepare(self) -> None:
        """Make the folders, and the lessons without their solutions."""
        for name in ("work", "home", "tmp", "clusters", "lessons"):
            (self.root / name).mkdir(mode=0o700)
        for lesson in lessons():
            folder = self.root / "lessons" / lesson.slug
            folder.mkdir()
            sheet = json.loads((lesson.folder / "sheet.json").read_text(encoding="utf-8"))
            for exercise in sheet["exercises"]:
                exercise["solution"] = ""
            (folder / "sheet.json").write_text(json.dumps(sheet), encoding="utf-8")
            for name in ("quiz.json", "cards.json", "parsons.json"):
                if (lesson.folder / name).is_file():
                    shutil.copyfile(lesson.folder / name, folder / name)

    def environment(self, outside: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return the environment of everything in here; nothing else of the instructor's gets in."""
        kept = {name: outside[name] for name in _KEPT if name in outside}
        return {
            **kept,
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "GPUCLUSTER_DIR": str(self.root / "clusters"),
            "IPYTHONDIR": str(self.root / "home" / "ipython"),
            "JUPYTER_RUNTIME_DIR": str(self.root / "home" / "runtime"),
            "MPLCONFIGDIR": str(self.root / "home" / "matplotlib"),
            "MPLBACKEND": "agg",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            FOLDER_VARIABLE: str(self.work),
            NOTEBOOKS_VARIABLE: str(self.root / "lessons"),
            TOKEN_VARIABLE: self.token,
        }

    def closed(self) -> list[Path]:
        """Return what the kernel gives up reading: never a folder that this one lies in, as nothing would work then."""
        return [path for path in (notebooks_folder(), *self.hidden) if not self.root.is_relative_to(path.resolve())]


def limit(limits: Limits) -> None:
    """Set limits that hold for this process and for each that it starts."""
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


def confine(root: Path, *, hidden: Collection[Path] = ()) -> bool:
    """Keep this process from writing anywhere but below ``root``; return whether the kernel can do that.

    Parameters
    ----------
    root : pathlib.Path
        Folder of the submission.
    hidden : collection of pathlib.Path, optional
        Folders that it may not read. Their names stay visible only where Python looks for modules above them. Devices
        cannot be read either then: for the superuser, a disk is one.
    """
    graphics = list(Path("/dev").glob("nvidia*"))
    writable = [root, *(Path(name) for name in _DEVICES), *graphics]
    if not hidden:
        return landlock.restrict(writable=writable, flat=[SHARED_MEMORY], scoped=True)
    places = [Path(entry).resolve() for entry in sys.path if entry]
    unlisted = [path for path in hidden if not any(path.resolve().is_relative_to(place) for place in places)]
    return landlock.restrict(
        writable=writable,
        flat=[SHARED_MEMORY],
        unreadable=[*hidden, Path("/dev")],
        unlisted=unlisted,
        readable=[*(Path(name) for name in _SOURCES), *graphics],
        scoped=True,
    )
