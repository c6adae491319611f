"""Names of a package whose modules are imported when somebody uses them.

The function of a task is unpickled by workers, and by the scheduler, which imports its module and so the packages above
it. If those imported all their estimators, a scheduler would import scikit-learn, pandas and pyarrow with the first
fit: 70 MB, and a second in which it does nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def imported_when_used(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its name.
    modules : mapping
        By public name, the module below the package that has it.
    """

    def find(name: str) -> Any:
        if name in modules:
            return getattr(import_module(f"{package}.{modules[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return find, names
