"""Checks of lesson 09: from MPI to Dask and back."""
