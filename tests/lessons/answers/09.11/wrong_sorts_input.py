"""Wrong: sorts the caller's list in place."""


def summary(seconds):
    seconds.sort()
    n = len(seconds)
    median = seconds[n // 2] if n % 2 else (seconds[n // 2 - 1] + seconds[n // 2]) / 2
    return median, seconds[0], seconds[-1]


def verdict(dask_seconds, mpi_seconds):
    if min(len(dask_seconds), len(mpi_seconds)) < 3:
        return "cannot say"
    if min(dask_seconds) > max(mpi_seconds):
        return "slower"
    return "faster" if max(dask_seconds) < min(mpi_seconds) else "cannot say"
