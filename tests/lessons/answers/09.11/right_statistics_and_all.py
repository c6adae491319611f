from statistics import median


def summary(seconds):
    return (median(seconds), min(seconds), max(seconds))


def verdict(dask_seconds, mpi_seconds):
    enough = all(len(seconds) >= 3 for seconds in (dask_seconds, mpi_seconds))
    pairs = [(one, other) for one in dask_seconds for other in mpi_seconds]
    if enough and all(one > other for one, other in pairs):
        return "slower"
    if enough and all(one < other for one, other in pairs):
        return "faster"
    return "cannot say"
