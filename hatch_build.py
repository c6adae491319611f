"""Builds the lessons when a wheel, a source archive or a checkout that is installed in place is made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LessonsBuildHook(BuildHookInterface[Any]):
    """Runs ``python -m gpucluster.lessons.build``; a source archive comes with the lessons built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, and stop when a lesson is not in order."""
        root = Path(self.root)
        if (root / "PKG-INFO").is_file() and (root / "py_src" / "gpucluster" / "lessons" / "notebooks").is_dir():
            return
        # pip's own environment for builds is on the path, too.
        path = os.pathsep.join([str(root / "py_src"), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "gpucluster.lessons.build", "--no-pages"]
        subprocess.run(command, cwd=root, env={**os.environ, "PYTHONPATH": path}, check=True, stdout=subprocess.DEVNULL)
