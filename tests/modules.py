"""The modules of the package, for tests of their imports and names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "py_src" / "gpucluster"


def modules(folder: Path = PACKAGE) -> Iterator[Path]:
    """Yield the modules in a folder and below, without the text of lessons and the answers to their exercises."""
    for path in sorted(folder.rglob("*.py")):
        of_cells = path.name == "lesson.py" or path.parent.name == "answers"
        if not (of_cells or path.is_relative_to(PACKAGE / "lessons" / "notebooks")):
            yield path
