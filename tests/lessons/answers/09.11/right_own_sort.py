"""Right: sorted copy and index arithmetic, generators with all()."""


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
