"""Builds the lessons when a wheel, a source archive or a checkout that is installed in place is made."""

from __future__ import annotations

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
        # The program itself puts the source on the path: pip's environment for builds removes what an earlier
        # installation in place has added, PYTHONPATH included.
        program = (
            f"import runpy, sys; sys.path.insert(0, {str(root / 'py_src')!r});"
            "runpy.run_module('gpucluster.lessons.build', alter_sys=True, run_name='__main__')"
        )
        subprocess.run([sys.executable, "-c", program, "--no-pages"], cwd=root, check=True, stdout=subprocess.DEVNULL)
