"""The folder of one submission: all that it may write to, with lessons that have no solutions."""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ....recordings.places import bundled_recordings
from ...catalogue import NOTEBOOKS_VARIABLE, lessons, notebooks_folder, solutions
from ...learner_progress import FOLDER_VARIABLE

TOKEN_VARIABLE = "GPUCLUSTER_GRADING"  # noqa: S105  # marks the processes of one submission; it opens nothing
_SETTINGS = {
    "passwd": f"learner:x:{os.getuid() or 1000}:{os.getgid() or 1000}::/nonexistent:/bin/sh\n",
    "group": f"learner:x:{os.getgid() or 1000}:\n",
    "hosts": "127.0.0.1 localhost grading\n::1 localhost grading\n",
}
_KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "TZ", "CUDA_VISIBLE_DEVICES")


@dataclass(frozen=True)
class Sandbox:
    """The folder of one submission, which is thrown away afterwards.

    Attributes
    ----------
    root : pathlib.Path
        With a short path, as sockets lie in it.
    token : str
        Marks the processes of this submission, in their environment.
    closed_folders : tuple of pathlib.Path
        Folders that the notebook may not read, the one with the solutions not counted; see `unreadable`.
    """

    root: Path
    token: str
    closed_folders: tuple[Path, ...] = ()

    @property
    def work(self) -> Path:
        """The folder in which the notebook runs."""
        return self.root / "work"

    @property
    def socket(self) -> Path:
        """Where the grader waits for the kernel."""
        return self.root / "grader"

    @property
    def settings(self) -> Path:
        """What stands for some files of ``/etc`` where that of the machine is not to be seen."""
        return self.root / "etc"

    def prepare(self) -> None:
        """Make the folders, the lessons without their solutions, and the recordings."""
        for name in ("work", "home", "tmp", "clusters", "lessons", "etc"):
            (self.root / name).mkdir(mode=0o700)
        for name, text in _SETTINGS.items():
            (self.settings / name).write_text(text, encoding="utf-8")
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
        if (hooks := notebooks_folder() / "hooks.json").is_file():  # those of all lessons
            shutil.copyfile(hooks, self.root / "lessons" / hooks.name)
        recordings = self.root / "lessons" / "data" / "recordings"
        recordings.mkdir(parents=True)
        for recording in bundled_recordings():  # a lesson may play one
            shutil.copyfile(recording, recordings / recording.name)

    def environment(self, given: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return the environment of every process in the sandbox; nothing else of the instructor's gets in."""
        kept = {name: given[name] for name in _KEPT if name in given}
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

    def secrets(self) -> list[Path]:
        """Return the folders and files that no kernel is to see."""
        return [notebooks_folder(), *solutions(), *self.closed_folders]

    def unreadable(self) -> list[Path]:
        """Return what the kernel gives up reading: never a folder that this one lies in, as nothing would work then."""
        return [path for path in self.secrets() if not self.root.is_relative_to(path.resolve())]
