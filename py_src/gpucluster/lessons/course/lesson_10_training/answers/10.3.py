import numpy as np

# %% right split: Cut by np.split, from its own legacy generator.
def batches(n_rows, size, seed):
    order = np.random.RandomState(seed).permutation(n_rows)
    return tuple(np.split(order, np.arange(size, n_rows, size)))

# %% right generator: A generator of lists, from Python's own random numbers.
import random


def batches(n_rows, size, seed):
    rows = list(range(n_rows))
    random.Random(seed).shuffle(rows)
    while rows:
        yield rows[:size]
        rows = rows[size:]

# %% wrong backwards_begun_elsewhere: The rows backwards, begun elsewhere.
# fails: The order is random
# ~ np.random.RandomState(seed).permutation(n_rows) => np.roll(np.arange(n_rows)[::-1], seed)

# %% wrong batches_shuffled_only: The batches are in random order, the rows in them are not.
# fails: The order is random
# ~ order = np.random.RandomState(seed).permutation(n_rows) => starts = np.arange(0, n_rows, size)
# -     return tuple(np.split(order, np.arange(size, n_rows, size)))
# +     return [np.arange(start, min(start + size, n_rows)) for start in starts]

# %% wrong empty_batch: One more, empty batch where the size divides the number of rows.
# fails: All batches have the given size; only the last one may have fewer rows
# ~ np.arange(size, n_rows, size) => np.arange(size, n_rows + 1, size)

# %% wrong from_one: Rows are counted from 1.
# fails: Each row is in exactly one batch
# ~ permutation(n_rows) => permutation(n_rows) + 1

# %% wrong global_seed, edit of the solution: Seeds the random numbers of the whole process.
# fails: NumPy's global random state is unchanged
# ~ """Return the batches of one epoch: arrays of row numbers.""" => np.random.seed(seed)
# ~ random.default_rng(seed). => random.

# %% wrong one_seed: Uses the fixed seed 0, the order is the same for each seed.
# fails: Another seed gives another order
# ~ RandomState(seed) => RandomState(0)

# %% wrong other_each_time: Another order each time.
# fails: The same seed gives the same batches
# ~ RandomState(seed) => RandomState()

# %% wrong rest_dropped: The last rows are left out.
# fails: Each row is in exactly one batch
# ~ np.arange(size, n_rows, size))) => np.arange(size, n_rows, size))[:-1])
