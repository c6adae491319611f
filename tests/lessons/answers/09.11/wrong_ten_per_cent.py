import numpy as np


def summary(seconds):
    return float(np.median(seconds)), min(seconds), max(seconds)


def verdict(dask_seconds, mpi_seconds):
    if min(len(dask_seconds), len(mpi_seconds)) < 3:
        return "cannot say"
    ratio = np.median(dask_seconds) / np.median(mpi_seconds)
    return "slower" if ratio > 1.1 else "faster" if ratio < 0.9 else "cannot say"
