"""Right: recursion: each worker takes its share of what is left; small chunks come first."""


def one_per_worker(X, n_workers):
    def shares(rows, workers):
        if workers == 0:
            return ()
        mine = rows // workers
        return (mine,) + shares(rows - mine, workers - 1)

    return X.rechunk((shares(X.shape[0], n_workers), (X.shape[1],)))
