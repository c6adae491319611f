def summary(seconds):
    ordered = sorted(seconds)
    n = len(ordered)
    middle = ordered[n // 2] if n % 2 else (ordered[n // 2 - 1] + ordered[n // 2]) / 2
    return middle, ordered[0], ordered[-1]


def verdict(dask_seconds, mpi_seconds):
    dask, mpi = sorted(dask_seconds), sorted(mpi_seconds)
    if len(dask) > 2 and len(mpi) > 2:
        if dask[0] > mpi[-1]:
            return "slower"
        if mpi[0] > dask[-1]:
            return "faster"
    return "cannot say"
