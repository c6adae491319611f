"""Measurements of gpucluster and its nearest peer, dask-labextension, in one run on one machine."""
