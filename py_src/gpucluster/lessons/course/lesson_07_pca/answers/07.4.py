from functools import reduce

import dask
import numpy as np

# %% right b_recursion: Recursion over the blocks gives the tree, computed in one go.
from gpucluster.lessons import as_numpy


def block_moments(block):
    mean = block.mean(axis=0, dtype=float)
    centred = block.astype(float) - mean
    return len(block), mean, centred.T @ centred


def merge(a, b):
    (n_a, m_a, M_a), (n_b, m_b, M_b) = a, b
    n = n_a + n_b
    delta = m_b - m_a
    return n, m_a + delta * n_b / n, M_a + M_b + np.outer(delta, delta) * n_a * n_b / n


def moments_of_block(block):
    return as_numpy(block_moments(block))


def fit_stream(client, X):
    blocks = list(X.to_delayed().ravel())

    def tree(low, high):
        if high - low == 1:
            return dask.delayed(moments_of_block)(blocks[low])
        middle = (low + high) // 2
        return dask.delayed(merge)(tree(low, middle), tree(middle, high))

    return client.gather(client.compute(tree(0, len(blocks))))


n_patches = np.int64(515000)
first_ratio = 0.8122835

# %% right reduction
def block_moments(block):
    rows = block.astype(float)
    mean = rows.mean(axis=0)
    return len(rows), mean, (rows - mean).T @ (rows - mean)


def merge(a, b):
    delta = b[1] - a[1]
    n = a[0] + b[0]
    return n, a[1] + b[0] / n * delta, a[2] + b[2] + a[0] * b[0] / n * np.outer(delta, delta)


def fit_stream(client, X):
    level = [dask.delayed(block_moments)(X.blocks[i].to_delayed()[0, 0]) for i in range(X.numblocks[0])]
    while len(level) > 1:
        half = len(level) // 2
        level = [dask.delayed(merge)(level[i], level[-1 - i]) for i in range(half)] + level[half : len(level) - half]
    return client.gather(client.compute(level))[0]


n_patches, first_ratio = 515_000, 0.81228

# %% wrong computed, edit of right reduction
# fails: One merged result is sent to the notebook, not one per block, and no rows
def fit_stream(client, X):
    return block_moments(X.compute())

# %% wrong gathered_results, edit of wrong computed
# fails: The workers make all blocks, and merge their results
# -     return block_moments(X.compute())
# +     parts = client.gather(client.compute([dask.delayed(block_moments)(block) for block in X.to_delayed().ravel()]))
# +     return reduce(merge, parts)

# %% wrong b_eight_pixels: Both numbers are those of the 8 × 8 patches, but the stream has 16 × 16.
# fails: All 16 × 16 patches of both photos were counted
# ~ np.int64(515000) => 531_720
# ~ 0.8122835 => 0.83810

# %% wrong b_no_delta: The merge of the tree adds the products only, so they are not about the common mean.
# fails: The products are those of all rows about their mean
# ~ dask.delayed(merge) => dask.delayed(plus)
def plus(a, b):
    n = a[0] + b[0]
    return n, (a[0] * a[1] + b[0] * b[1]) / n, a[2] + b[2]

# %% wrong b_number_of_blocks: N_patches is the number of blocks, not of patches.
# fails: All 16 × 16 patches of both photos were counted
# ~ np.int64(515000) => 50

# %% wrong b_odd_one_lost: The last block of an odd number is dropped, so its rows are lost.
# fails: n counts all rows
# ~ tree(middle, high) => tree(middle, high - (high - low) % 2)

# %% wrong b_percent: First_ratio is given in percent, but a share is asked.
# fails: The first component explains the right share of the variance
# ~ 0.8122835 => 81.228

# %% wrong b_persisted: All blocks are kept on the workers first, but no worker is to hold the table; one task per block.
# fails: Blocks are used and released: the workers never hold all of them at once
# -     blocks = list(X.to_delayed().ravel())
# +     X = client.persist(X)
# +     blocks = list(X.to_delayed().ravel())

# %% wrong b_still_lazy: Returns a task that has not run, but 'one result' of n, mean and products is asked.
# fails: It returns three values: n, mean, products about the mean
# ~ client.gather(client.compute(tree(0, len(blocks)))) => tree(0, len(blocks))

# %% wrong c_chain: A chain of merges: each waits for the one before.
# fails: The merges form a tree: each task reads a few results, and few tasks wait for each other
# ~ client.compute(tree(0, len(blocks))) => client.compute(reduce(dask.delayed(merge), map(dask.delayed(moments_of_block), blocks)))

# %% wrong c_in_the_notebook: A tree of delayed merges, but it is computed by threads of the notebook, not by the workers.
# fails: The workers make all blocks, and merge their results
# ~ client.gather(client.compute(tree(0, len(blocks)))) => tree(0, len(blocks)).compute(scheduler="threads")

# %% wrong c_one_task_merges: One task merges the results of all blocks, one after the other.
# fails: The merges form a tree: each task reads a few results, and few tasks wait for each other
# ~ tree(0, len(blocks))) => dask.delayed(partial(reduce, merge))([dask.delayed(moments_of_block)(block) for block in blocks]))
from functools import partial
