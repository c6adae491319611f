"""One worker per GPU of this machine: dask-cuda's ``LocalCUDACluster``.

Nothing in here imports dask-cuda or CUDA until a cluster is started.
"""

from __future__ import annotations

from .backend import CudaBackend

__all__ = ["CudaBackend"]
