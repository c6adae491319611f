import numpy as np


def block_moments(block):
    mean = block.mean(axis=0)  # added up in float32
    rows = block.astype(float) - mean
    return len(block), mean.astype(float), rows.T @ rows


def merge(a, b):
    delta = b[1] - a[1]
    n = a[0] + b[0]
    return n, a[1] + b[0] / n * delta, a[2] + b[2] + a[0] * b[0] / n * np.outer(delta, delta)
