"""Wrong: asks only for three measurements of Dask; one of MPI is enough."""

import statistics


def summary(seconds):
    return statistics.median(seconds), min(seconds), max(seconds)


def verdict(dask_seconds, mpi_seconds):
    if len(dask_seconds) < 3:
        return "cannot say"
    if min(dask_seconds) > max(mpi_seconds):
        return "slower"
    return "faster" if max(dask_seconds) < min(mpi_seconds) else "cannot say"
