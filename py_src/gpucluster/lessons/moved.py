"""Names of modules that notebooks import, where what they name lies elsewhere: older copies of lessons still work."""

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


class _Moved(ModuleType):
    """Has what another module has, which is imported when something of it is needed."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name)
        self._place = place

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked of every module by what looks for sources and warnings
            raise AttributeError(name)
        return getattr(import_module(self._place), name)

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)  # a function that uses it may travel to a worker


def keep_names(package: str, places: Mapping[str, str]) -> None:
    """Let modules of a package be imported by these names.

    Parameters
    ----------
    package : str
        Name of the package.
    places : mapping
        By each name, the module that has what it names, below ``gpucluster.lessons``.
    """
    lessons = __name__.rpartition(".")[0]
    for name, place in places.items():
        module = sys.modules[f"{package}.{name}"] = _Moved(f"{package}.{name}", f"{lessons}.{place}")
        setattr(sys.modules[package], name, module)
