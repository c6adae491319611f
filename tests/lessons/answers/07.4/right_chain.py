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
    total = None
    for block in X.to_delayed().ravel():
        own = dask.delayed(block_moments)(block)
        total = own if total is None else dask.delayed(merge)(total, own)
    return client.compute(total).result()


n_patches, first_ratio = 515_000, 0.81228
