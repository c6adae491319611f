# %% right numpy
import numpy as np


def summary(seconds):
    return np.quantile(seconds, [0.5, 0.0, 1.0]).tolist()


def verdict(dask_seconds, mpi_seconds):
    dask, mpi = np.asarray(dask_seconds), np.asarray(mpi_seconds)
    gaps = dask[:, None] - mpi[None, :]
    if min(dask.size, mpi.size) < 3:
        return "cannot say"
    return "slower" if (gaps > 0).all() else "faster" if (gaps < 0).all() else "cannot say"

# %% right own_sort: Sorted copy and index arithmetic, generators with all().
def summary(seconds):
    row = sorted(seconds)
    n = len(row)
    return (row[(n - 1) // 2] + row[n // 2]) / 2, row[0], row[-1]


def verdict(dask_seconds, mpi_seconds):
    enough = all(len(times) > 2 for times in (dask_seconds, mpi_seconds))
    if enough and all(d > m for d in dask_seconds for m in mpi_seconds):
        return "slower"
    if enough and all(d < m for d in dask_seconds for m in mpi_seconds):
        return "faster"
    return "cannot say"

# %% right statistics: The statistics module, returns a tuple; overlap from the two summaries.
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

# %% wrong even_median: With an even number of measurements the upper of the two in the middle.
# fails: median is that of the measurements
# ~ np.quantile(seconds, [0.5, 0.0, 1.0]).tolist() => sorted(seconds)[len(seconds) // 2], min(seconds), max(seconds)

# %% wrong exchanged
# fails: slower: all times of Dask are longer than all times of MPI, with 3 repeats or more of each
# ~ return "slower" if (gaps > 0).all() else "faster" if => return "faster" if (gaps > 0).all() else "slower" if

# %% wrong extremes_exchanged, edit of right statistics
# fails: lowest is that of the measurements
# ~ min(seconds), max(seconds) => max(seconds), min(seconds)

# %% wrong touching_counts, edit of right statistics
# fails: cannot say: the ranges from lowest to highest overlap or touch
# ~ dask_low > mpi_high => dask_low >= mpi_high
# ~ dask_high < mpi_low => dask_high <= mpi_low

# %% wrong no_minimum_of_repeats, edit of right statistics
# fails: cannot say: fewer than 3 repeats of one of them
# -     if min(len(dask_seconds), len(mpi_seconds)) < 3:
# -         return "cannot say"
