import dask
import numpy as np


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
