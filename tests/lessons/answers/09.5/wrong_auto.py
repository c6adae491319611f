def one_per_worker(X, n_workers):
    return X.rechunk(("auto", -1), block_size_limit=max(1, X.nbytes // n_workers))
