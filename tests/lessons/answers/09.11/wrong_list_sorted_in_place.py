def summary(seconds):
    seconds.sort()
    n = len(seconds)
    return (seconds[(n - 1) // 2] + seconds[n // 2]) / 2, seconds[0], seconds[-1]


def verdict(dask_seconds, mpi_seconds):
    if min(len(dask_seconds), len(mpi_seconds)) < 3:
        return "cannot say"
    if min(dask_seconds) > max(mpi_seconds):
        return "slower"
    if max(dask_seconds) < min(mpi_seconds):
        return "faster"
    return "cannot say"
