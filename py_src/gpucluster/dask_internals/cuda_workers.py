"""dask-cuda's ``LocalCUDACluster`` beyond what is documented of it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from ..operating_system.processors import usable_processors

_DRIVER = "cuda.core"
"""NVIDIA's bindings of the driver: 140 modules and 15 MB."""


class _OnCall:
    """Stands for something of a module that is imported when it is called, or asked for anything."""

    def __init__(self, module: str, name: str) -> None:
        self._where = module, name

    def _found(self) -> Any:
        module, name = self._where
        return getattr(import_module(module), name)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._found()(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found(), name)


class _Names(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _OnCall(self.__name__, name)


def local_cuda_cluster() -> Any:
    """Return dask-cuda's ``LocalCUDACluster``, imported without what only its workers need.

    This process plans workers and computes on no GPU. Relies on ``dask_cuda.initialize``, which takes ``Device`` from
    ``cuda.core`` when it is imported, and uses it in a worker (26.10). Where a version wants more of it than names, it
    is imported as usual.
    """
    if _DRIVER not in sys.modules and "dask_cuda" not in sys.modules:
        sys.modules[_DRIVER] = stand_in = _Names(_DRIVER)
        try:
            import_module("dask_cuda")
        except ImportError:
            for name in [name for name in sys.modules if name.partition(".")[0] == "dask_cuda"]:
                del sys.modules[name]
        finally:
            if sys.modules.get(_DRIVER) is stand_in:
                del sys.modules[_DRIVER]
    return import_module("dask_cuda").LocalCUDACluster


def visible_devices(position: int, devices: list[str]) -> str:
    """Return ``CUDA_VISIBLE_DEVICES`` of the worker on one of the devices: its own first, then the others.

    Relies on ``dask_cuda.utils.cuda_visible_devices(i, visible)`` (24.02).
    """
    from dask_cuda.utils import cuda_visible_devices

    return str(cuda_visible_devices(position, devices))


@contextmanager
def affinity_of_any_device() -> Iterator[None]:
    """Let workers use all CPUs where NVML does not know which are near a GPU.

    dask-cuda means to do so, but for a device given by UUID it fails on formatting its own warning. Relies on
    ``dask_cuda.worker_common.get_cpu_affinity``, called as a name of that module (25.02).
    """
    import dask_cuda.worker_common

    original = dask_cuda.worker_common.get_cpu_affinity

    def forgiving(device: Any) -> list[int]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                cpus: list[int] = original(device)
            return cpus
        except TypeError:
            return usable_processors()

    dask_cuda.worker_common.get_cpu_affinity = forgiving
    try:
        yield
    finally:
        dask_cuda.worker_common.get_cpu_affinity = original
