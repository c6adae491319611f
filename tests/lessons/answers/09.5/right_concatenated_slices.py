import dask.array as da


def one_per_worker(X, n_workers):
    n, parts, start = len(X), [], 0
    for left in range(n_workers, 0, -1):
        rows = (n - start) // left
        parts.append(X[start : start + rows].rechunk((-1, -1)))
        start += rows
    return da.concatenate(parts)
