"""Dask workers as processes of their own, which wait in a queue as jobs do."""
