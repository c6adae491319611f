import numpy as np


def summary(seconds):
    return np.quantile(seconds, [0.5, 0.0, 1.0]).tolist()


def verdict(dask_seconds, mpi_seconds):
    dask, mpi = np.asarray(dask_seconds), np.asarray(mpi_seconds)
    gaps = dask[:, None] - mpi[None, :]
    if min(dask.size, mpi.size) < 3:
        return "cannot say"
    return "slower" if (gaps > 0).all() else "faster" if (gaps < 0).all() else "cannot say"
