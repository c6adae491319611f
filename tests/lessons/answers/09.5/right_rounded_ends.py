def one_per_worker(X, n_workers):
    n = X.shape[0]
    ends = [n * place // n_workers for place in range(n_workers + 1)]
    sizes = tuple(stop - start for start, stop in zip(ends, ends[1:], strict=False))
    return X.rechunk(chunks=(sizes, (X.shape[1],)))
