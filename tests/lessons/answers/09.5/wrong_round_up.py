"""Wrong: n / w rounded up: too few chunks, or a small last one."""


def one_per_worker(X, n_workers):
    return X.rechunk((-(-X.shape[0] // n_workers), -1))
