def one_per_worker(X, n_workers):
    rows = len(X) // n_workers
    sizes = [rows] * n_workers
    sizes[-1] += len(X) - sum(sizes)
    return X.rechunk((tuple(sizes), -1))
