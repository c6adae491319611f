"""The Jupyter server extension: REST, one event stream, dashboards by cluster id.

Handlers are thin: they read a request, call ``gpucluster.client.control.AsyncControl`` and write the
answer. Nothing in this package imports Dask or CUDA, so that no cluster can slow down Jupyter.
"""
