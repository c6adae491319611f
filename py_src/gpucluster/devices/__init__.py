"""The GPUs on this machine: which exist, which processes use them, which to take.

Reads NVML through the module ``pynvml`` (distribution ``nvidia-ml-py``), never through CUDA, so no caller gets a CUDA
context. Imports neither Dask nor the rest of gpucluster, except the protocol.
"""
