"""Wrong: compares the median of Dask with the range of MPI; overlapping ranges get a verdict."""

import statistics


def summary(seconds):
    return statistics.median(seconds), min(seconds), max(seconds)


def verdict(dask_seconds, mpi_seconds):
    if len(dask_seconds) < 3 or len(mpi_seconds) < 3:
        return "cannot say"
    middle = statistics.median(dask_seconds)
    if middle > max(mpi_seconds):
        return "slower"
    return "faster" if middle < min(mpi_seconds) else "cannot say"
