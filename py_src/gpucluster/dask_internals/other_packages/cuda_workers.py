"""dask-cuda's ``LocalCUDACluster`` beyond what is documented."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...operating_system.control_groups import usable_processors


def visible_devices(position: int, devices: list[str]) -> str:
    """Return ``CUDA_VISIBLE_DEVICES`` for the worker on one of the devices: its own first, then the others.

    Relies on ``dask_cuda.utils.cuda_visible_devices(i, visible)`` (24.02).
    """
    from dask_cuda.utils import cuda_visible_devices

    return str(cuda_visible_devices(position, devices))


@contextmanager
def affinity_of_any_device() -> Iterator[None]:
    """Let workers use all CPUs if NVML does not know which are near a GPU.

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
