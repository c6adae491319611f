import numpy as np


def summary(seconds):
    return float(np.median(seconds)), min(seconds), max(seconds)


def verdict(dask_seconds, mpi_seconds):
    if min(len(dask_seconds), len(mpi_seconds)) < 3:
        return "cannot say"
    if min(dask_seconds) > max(mpi_seconds):
        return "faster"
    if max(dask_seconds) < min(mpi_seconds):
        return "slower"
    return "cannot say"
