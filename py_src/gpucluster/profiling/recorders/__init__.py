"""What travels to schedulers and workers by value, which may have no gpucluster, or another one.

These modules import each other, ``dask_internals``, Dask and the standard library, and nothing else.
"""
