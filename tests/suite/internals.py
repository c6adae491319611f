"""Which modules of ``dask_internals`` a package is built on: a change of the others tells its tests nothing new."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = "py_src/gpucluster"
INTERNALS = f"{PACKAGE}/dask_internals"
_FROM_ELSEWHERE = re.compile(r"^\s*from [\w.]*\bdask_internals(?:\.(\w+) import|\s+import ([\w, ]+))", re.MULTILINE)
_FROM_WITHIN = re.compile(r"^\s*from \.(?:(\w+) import| import ([\w, ]+))", re.MULTILINE)


def internals_of(*places: str, root: Path = ROOT) -> tuple[str, ...]:
    """Return the files of ``dask_internals`` that what lies at these places imports, and those that these import.

    Parameters
    ----------
    *places : str
        Files, folders and patterns, relative to ``py_src/gpucluster``.
    root : Path
        Of the repository.

    Returns
    -------
    tuple of str
        Relative to the root, sorted; ``__init__.py`` is always among them.
    """
    found: set[str] = {"__init__"}
    new = {name for place in places for path in _modules(root, place) for name in _imported(path, _FROM_ELSEWHERE)}
    while new:
        found |= new
        new = {name for known in new for name in _imported(root / INTERNALS / f"{known}.py", _FROM_WITHIN)} - found
    return tuple(f"{INTERNALS}/{name}.py" for name in sorted(found))


def _modules(root: Path, place: str) -> Iterable[Path]:
    for path in (root / PACKAGE).glob(place):
        yield from path.rglob("*.py") if path.is_dir() else [path]


@cache
def _imported(path: Path, pattern: re.Pattern[str]) -> frozenset[str]:
    found = (module or names for module, names in pattern.findall(path.read_text(encoding="utf-8")))
    return frozenset(name.split()[0] for names in found for name in names.split(",") if name.strip())
