"""What submissions may not read, beside the solutions: what others handed in, and how to reach other programs."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from jupyter_core.paths import jupyter_runtime_dir

from ...registry.directory import default_directory
from .submissions import Submission

_PACKAGE = Path(__file__).resolve().parents[2]


def closed_folders(submissions: Iterable[Submission]) -> list[Path]:
    """Return the folders to close: the one with all submissions, of the account's clusters, and of its kernels.

    Where Python itself or the folder for temporary files lies among the submissions, each learner's is closed instead.
    """
    needed = [Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve(), Path(tempfile.gettempdir()), _PACKAGE]
    found = {default_directory().resolve(), Path(jupyter_runtime_dir()).resolve()}
    for one in submissions:
        root = one.root
        if any(place.is_relative_to(root) for place in needed):
            found.add(root / one.path.relative_to(root).parts[0])
        else:
            found.add(root)
    return sorted(found)
