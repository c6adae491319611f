"""What this process has taken out of its environment for the workers: directories to import from, and variables."""

import json
import os
import sys
import threading
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from ..protocol.version import GIVEN_VARIABLES, IMPORT_FROM

_taken: list[str] = []
_shared: list[str] = []  # Directories that the owner imports modules from.
_added: list[str] = []  # Those of them that are on this process's path for no other reason.


def take_directories(environment: MutableMapping[str, str] = os.environ) -> None:
    """Remove from an environment the directories that its owner imports modules from, and keep them."""
    _taken[:] = filter(os.path.isabs, environment.pop(IMPORT_FROM, "").split(os.pathsep))


def taken_directories() -> list[str]:
    """Return the directories taken; none has been added yet."""
    return list(_taken)


def add_directory(directory: str) -> None:
    """Import modules also from this directory if they are nowhere else; never within ``installed_only``."""
    if directory not in _shared:
        _shared.append(directory)
    if directory not in sys.path:
        sys.path.append(directory)
        _added.append(directory)


def forget_directory(directory: str) -> None:
    """Stop importing from this directory and those below it; modules already imported stay."""
    for place in [place for place in _shared if f"{place}{os.sep}".startswith(f"{directory.rstrip(os.sep)}{os.sep}")]:
        _shared.remove(place)
        if place in _added:
            _added.remove(place)
            sys.path[:] = [other for other in sys.path if other != place]
        sys.path_importer_cache.pop(place, None)


def shared_directories() -> list[str]:
    """Return the directories added, for workers that are not forked from this process."""
    return list(_shared)


@contextmanager
def installed_only() -> Iterator[None]:
    """Import nothing in this thread from the directories that were added."""
    finder = _InstalledOnly()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _InstalledOnly:
    """Hides from one thread what is only in the added directories."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if path is None and threading.get_ident() == self._thread and self._hides(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

    def _hides(self, name: str) -> bool:
        if PathFinder.find_spec(name, _added) is None:
            return False
        return PathFinder.find_spec(name, [place for place in sys.path if place not in _added]) is None


_given: dict[str, str] = {}


def take_given(environment: MutableMapping[str, str] = os.environ) -> None:
    """Remove them from an environment, and keep them for the workers."""
    packed = environment.pop(GIVEN_VARIABLES, None)
    _given.clear()
    if packed is not None:
        _given.update(json.loads(packed))


def given_variables() -> dict[str, str]:
    """Return those that are not set in this process."""
    return dict(_given)
