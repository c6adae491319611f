"""Dask workers as separate processes, which wait in a queue like jobs."""
