"""Names of a package whose modules are imported when they are first used.

The function of a task is unpickled by workers, and by the scheduler, which imports its module and so the packages above
it. If those imported all their estimators, a scheduler would import scikit-learn, pandas and pyarrow with the first
fit: 70 MB, and a second in which it does nothing else.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def imported_when_used(
    package: str, modules: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package, by the public names of each module below it."""
    places = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> Any:
        if name in places:
            return getattr(import_module(f"{package}.{places[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *places})

    return find, names
