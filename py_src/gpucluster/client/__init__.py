"""The client: create, list, scale, adapt, restart and stop clusters, and the ``Cluster`` handle.

``control`` needs neither Dask nor CUDA: the Jupyter server uses it. ``cluster`` and ``api`` are what a notebook sees.
"""
