"""Dask over MPI between two ranks of this machine, against TCP, TLS and mpi4py alone: ``python -m benchmarks.mpi``."""
