"""Right: np.quantile of three shares, a list of three floats; verdict by comparing all pairs."""

import numpy as np


def summary(seconds):
    median, lowest, highest = np.quantile(np.asarray(seconds, dtype=float), [0.5, 0.0, 1.0])
    return [float(median), float(lowest), float(highest)]


def verdict(dask_seconds, mpi_seconds):
    if len(dask_seconds) >= 3 and len(mpi_seconds) >= 3:
        difference = np.subtract.outer(np.array(dask_seconds), np.array(mpi_seconds))
        if (difference > 0).all():
            return "slower"
        if (difference < 0).all():
            return "faster"
    return "cannot say"
