"""Lesson 09: From MPI to Dask and back."""
