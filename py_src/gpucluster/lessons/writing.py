"""A learner's copy of a notebook, as JupyterLab itself would save it on this machine."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any


def write_copy(source: Path, target: Path) -> None:
    """Copy a notebook of the package; with the mode of a new file, as the package may be read-only.

    JupyterLab writes what the kernel says of its language into each notebook that it opens. Where that is there
    already, nothing changes, and a lesson that was only looked at has nothing to be saved.
    """
    notebook: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    notebook["metadata"]["language_info"] = language_info()
    target.write_text(json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def language_info() -> dict[str, Any]:
    """Return what the IPython kernel of this Python says of its language; it would take a second to import."""
    major = sys.version_info.major
    return {
        "name": "python",
        "version": platform.python_version(),
        "mimetype": "text/x-python",
        "codemirror_mode": {"name": "ipython", "version": major},
        "pygments_lexer": f"ipython{major}",
        "nbconvert_exporter": "python",
        "file_extension": ".py",
    }
