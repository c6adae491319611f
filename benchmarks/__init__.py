"""Measurements of gpucluster beside its nearest peer, dask-labextension, in one run on one machine."""
