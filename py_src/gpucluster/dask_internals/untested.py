"""Checks whether a Dask that is newer than the tested ones still has what this package relies on."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

NEWEST_TESTED = "2026.8"  # The newest release that ``make test-dask`` has tested.
_NAMED = re.compile(r"``([A-Z]\w+)\.(\w+)")
_CLASS = re.compile(r"^class (\w+)(?:\(([^)]*)\))?:", re.MULTILINE)
_WORD = re.compile(r"\w+")
_PACKAGES = ("dask", "distributed")


@cache
def missing_names() -> tuple[str, ...]:
    """Return what the functions here import, or name in their docstrings, and the installed Dask no longer has.

    Dask's source is read, not imported: a tenth of a second, once per process. This finds missing names, not changed
    behaviour, which only the canaries of ``tests/dask_internals`` do.
    """
    classes = _classes()
    missing = {name for name in _imported_names() if not _is_there(*name)}
    named = {(owner, attribute) for owner, attribute in _named_attributes() if owner in classes}
    gone = {f"{module}.{name}" if name else module for module, name in missing}
    gone |= {f"{owner}.{name}" for owner, name in named if name not in _words_of(owner, classes, frozenset())}
    return tuple(sorted(gone))


def _sources() -> Iterator[str]:
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        yield path.read_text(encoding="utf-8")


def _imported_names() -> set[tuple[str, str]]:
    found = set()
    for source in _sources():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                found |= {(node.module or "", alias.name) for alias in node.names}
            elif isinstance(node, ast.Import):
                found |= {(alias.name, "") for alias in node.names}
    return {(module, name) for module, name in found if module.split(".")[0] in _PACKAGES}


def _named_attributes() -> set[tuple[str, str]]:
    return {(owner, name) for source in _sources() for owner, name in _NAMED.findall(source)}


def _folder(package: str) -> Path | None:
    spec = find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def _is_there(module: str, name: str) -> bool:
    package, *rest = module.split(".")
    folder = _folder(package)
    if folder is None:
        return False
    place = folder.joinpath(*rest)
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    if not file.is_file():
        return False
    return (
        not name
        or (place / f"{name}.py").is_file()
        or (place / name).is_dir()
        or name in _WORD.findall(file.read_text(encoding="utf-8"))
    )


_Class = tuple[tuple[str, ...], frozenset[str]]  # The bases of a class, and the words of its source.


def _classes() -> dict[str, _Class]:
    """Return the classes of ``distributed``, and of ``zict`` below its spilling; those with equal names merged."""
    found: dict[str, _Class] = {}
    folders = filter(None, map(_folder, ("distributed", "zict")))
    files = ((folder, path) for folder in folders for path in folder.rglob("*.py"))
    for path in sorted(path for folder, path in files if "tests" not in path.relative_to(folder).parts):
        text = path.read_text(encoding="utf-8")
        for start, after in pairwise([*_CLASS.finditer(text), None]):
            assert start is not None
            words = frozenset(_WORD.findall(text[start.end() : after.start() if after else len(text)]))
            bases, known = found.get(start[1], ((), frozenset()))
            found[start[1]] = (*bases, *_WORD.findall(start[2] or "")), known | words
    return found


def _words_of(owner: str, classes: dict[str, _Class], seen: frozenset[str]) -> set[str]:
    if owner in seen or owner not in classes:
        return set()
    bases, words = classes[owner]
    return set(words).union(*(_words_of(base, classes, seen | {owner}) for base in bases))
