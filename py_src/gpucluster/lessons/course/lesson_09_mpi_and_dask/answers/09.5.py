# %% right array_split
import numpy as np


def one_per_worker(X, n_workers):
    sizes = tuple(len(part) for part in np.array_split(np.arange(X.shape[0]), n_workers))
    return X.rechunk({0: sizes, 1: -1})

# %% right rounded_ends
def one_per_worker(X, n_workers):
    n = X.shape[0]
    ends = [n * place // n_workers for place in range(n_workers + 1)]
    sizes = tuple(stop - start for start, stop in zip(ends, ends[1:], strict=False))
    return X.rechunk(chunks=(sizes, (X.shape[1],)))

# %% wrong along_the_columns
# fails: There are as many chunks as workers
def one_per_worker(X, n_workers):
    columns, more = divmod(X.shape[1], n_workers)
    sizes = (columns + 1,) * more + (columns,) * (n_workers - more)
    return X.rechunk((-1, tuple(size for size in sizes if size)))

# %% wrong auto
# fails: There are as many chunks as workers
def one_per_worker(X, n_workers):
    return X.rechunk(("auto", -1), block_size_limit=max(1, X.nbytes // n_workers))

# %% wrong columns_cut: Leaves the chunks of the columns unchanged; only the rows are cut again.
# fails: Each chunk has all columns
def one_per_worker(X, n_workers):
    size, rest = divmod(X.shape[0], n_workers)
    return X.rechunk({0: (size + 1,) * rest + (size,) * (n_workers - rest)})

# %% wrong computed
# fails: It runs without an error: RuntimeError
# ~ X.rechunk({0: sizes, 1: -1}) => da.from_array(X.compute(scheduler="synchronous"), chunks=(sizes, -1))
import dask.array as da

# %% wrong four_workers, edit of the solution: Four workers hard-coded as in the example.
# fails: There are as many chunks as workers
# ~ divmod(len(X), n_workers) => divmod(len(X), 4)
# ~ (n_workers - more) => (4 - more)

# %% wrong rest_to_last, edit of the solution: The last chunk takes the whole rest, up to w - 1 rows more than the others.
# fails: Two chunks differ by at most one row
# ~ (rows + 1,) * more + (rows,) * (n_workers - more) => (rows,) * (n_workers - 1) + (rows + more,)

# %% wrong rows_shuffled, edit of wrong computed
# fails: Values and order are unchanged
def one_per_worker(X, n_workers):
    X = da.concatenate([X[place::n_workers] for place in range(n_workers)])
    rows, more = divmod(len(X), n_workers)
    return X.rechunk(((rows + 1,) * more + (rows,) * (n_workers - more), -1))
