"""Right: the statistics module, returns a tuple; overlap from the two summaries."""

import statistics


def summary(seconds):
    return statistics.median(seconds), min(seconds), max(seconds)


def verdict(dask_seconds, mpi_seconds):
    if min(len(dask_seconds), len(mpi_seconds)) < 3:
        return "cannot say"
    (_, dask_low, dask_high), (_, mpi_low, mpi_high) = summary(dask_seconds), summary(mpi_seconds)
    if dask_low > mpi_high:
        return "slower"
    if dask_high < mpi_low:
        return "faster"
    return "cannot say"
