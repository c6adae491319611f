"""Wrong: ranges that touch count as apart (>= and <=)."""

import statistics


def summary(seconds):
    return statistics.median(seconds), min(seconds), max(seconds)


def verdict(dask_seconds, mpi_seconds):
    if min(len(dask_seconds), len(mpi_seconds)) < 3:
        return "cannot say"
    if min(dask_seconds) >= max(mpi_seconds):
        return "slower"
    return "faster" if max(dask_seconds) <= min(mpi_seconds) else "cannot say"
