"""Wrong: the last chunk takes the whole rest, up to w - 1 rows more than the others."""


def one_per_worker(X, n_workers):
    size = X.shape[0] // n_workers
    sizes = [size] * n_workers
    sizes[-1] += X.shape[0] - size * n_workers
    return X.rechunk((tuple(sizes), -1))
