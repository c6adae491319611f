"""One worker per GPU of this machine: dask-cuda's ``LocalCUDACluster``."""
