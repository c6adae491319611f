def one_per_worker(X, n_workers):
    rows, more = divmod(len(X), n_workers)
    return X.rechunk({0: (rows + 1,) * more + (rows,) * (n_workers - more)})
