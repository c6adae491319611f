import numpy as np


def block_moments(block):
    rows = block.astype(float)
    mean = rows.mean(axis=0)
    return len(rows), mean, (rows - mean).T @ (rows - mean)


def merge(a, b):
    n, mean, centred = a
    delta = b[1] - mean
    mean += delta * b[0] / (n + b[0])
    centred += b[2]
    centred += np.outer(delta, delta) * n * b[0] / (n + b[0])
    return n + b[0], mean, centred
