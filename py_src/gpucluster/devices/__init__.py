"""The GPUs on this machine: which exist, which processes use them, which to take.

Reads NVML through the module ``pynvml`` (distribution ``nvidia-ml-py``), never through CUDA, so no caller gets a CUDA
context. Imports neither Dask nor the rest of gpucluster, except the protocol.
"""

from __future__ import annotations

from .host import host_devices
from .selection import GPUProbe, probe_gpu, select_devices

__all__ = ["GPUProbe", "host_devices", "probe_gpu", "select_devices"]
