"""The GPUs of this machine: which there are, who uses them, which to take.

Reads NVML through the module ``pynvml`` (distribution ``nvidia-ml-py``), never through CUDA, so no process
that asks gets a CUDA context. Imports neither Dask nor the rest of gpucluster, the protocol excepted.
"""

from __future__ import annotations

from .host import host_devices
from .probe import GPUProbe, probe_gpu
from .selection import select_devices

__all__ = ["GPUProbe", "host_devices", "probe_gpu", "select_devices"]
