def one_per_worker(X, n_workers):
    columns, more = divmod(X.shape[1], n_workers)
    sizes = (columns + 1,) * more + (columns,) * (n_workers - more)
    return X.rechunk((-1, tuple(size for size in sizes if size)))
