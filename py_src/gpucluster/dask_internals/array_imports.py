"""What ``dask.array`` imports in a process that unpickles task graphs and computes nothing."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

MODULES = frozenset({"dask.array.chunk_types", "dask.array.fft"})
"""They import SciPy's sparse matrices, to register them as blocks, and its Fourier transforms, to wrap them."""


def import_arrays_without_scipy() -> None:
    """Let ``dask.array`` not import SciPy in this process, unless something else already has.

    A scheduler imports ``dask.array`` with the first graph of arrays. SciPy, and the parts of NumPy that it imports,
    would take 0.3 s and 17 MB more. SciPy can still be imported here. Relies on these modules handling ``ImportError``
    (2.27).
    """
    if not any(isinstance(finder, _WithoutSciPy) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WithoutSciPy())


class _WithoutSciPy(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname in MODULES else None
        if spec is not None and spec.loader is not None:
            spec.loader = _Loading(spec.loader)
        return spec


class _Loading(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        with _hidden("scipy"):
            self._loader.exec_module(module)


@contextmanager
def _hidden(name: str) -> Iterator[None]:
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # Makes its import fail.
    try:
        yield
    finally:
        del sys.modules[name]


def remember_versions() -> None:
    """Look them up now, for all workers that are forked from this process.

    Each would read the metadata of all packages, which is half of the work of its start. Relies on
    ``distributed.versions.get_versions()`` caching its results (2025.1).
    """
    from distributed.versions import get_versions

    get_versions()
