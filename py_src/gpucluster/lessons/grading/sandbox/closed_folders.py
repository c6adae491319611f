"""What submissions may not read, beside the solutions: what others handed in, and how to reach other programs."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from jupyter_core.paths import jupyter_runtime_dir

from ....registry.directory import default_directory
from ..submissions import Submission

_PACKAGE = Path(__file__).resolve().parents[3]


def closed_folders(submissions: Iterable[Submission]) -> list[Path]:
    """Return the folders to close: those with all submissions, and those that say how to reach the account's programs.

    These are its clusters, with the secrets that open them, its notebook servers and kernels, and its session. Where
    Python itself or the folder for temporary files lies among the submissions, each learner's is closed instead.
    """
    found = {folder.resolve() for folder in _of_programs()}
    # Closing a folder that Python needs would end every kernel.
    found = {folder for folder in found if not _is_needed(folder)}
    for one in submissions:
        root = one.root
        found.add(root / one.path.relative_to(root).parts[0] if _is_needed(root) else root)
    return sorted(found)


def _of_programs() -> list[Path]:
    return [
        default_directory(),
        Path(f"/tmp/gpucluster-{os.getuid()}"),  # noqa: S108  # also when $GPUCLUSTER_DIR names another one
        Path(jupyter_runtime_dir()),
        Path.home() / ".local" / "share" / "jupyter" / "runtime",
        Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"),
    ]


def _is_needed(folder: Path) -> bool:
    needed = (sys.prefix, sys.base_prefix, tempfile.gettempdir(), _PACKAGE)
    return any(Path(place).resolve().is_relative_to(folder) for place in needed)
