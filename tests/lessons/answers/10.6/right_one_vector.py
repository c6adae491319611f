"""Right: loss, gradients and number of rows travel as one flat vector in a single allreduce."""

import numpy as np


def gradients(X, wanted, layers):
    outs = [X]
    last = len(layers) - 2
    for k in range(0, len(layers), 2):
        s = outs[-1] @ layers[k] + layers[k + 1]
        outs.append(s if k == last else np.maximum(s, 0))
    s = outs[-1] - outs[-1].max(axis=1, keepdims=True)
    log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    loss = -(wanted * log_p).sum() / len(X)
    error = (np.exp(log_p) - wanted) / len(X)
    slopes = []
    for k in range(last, -1, -2):
        given = outs[k // 2]
        slopes = [given.T @ error, error.sum(axis=0), *slopes]
        error = (error @ layers[k].T) * (given > 0)
    return loss, slopes


def parallel_gradients(comm, X, wanted, layers):
    n = len(X)
    size = sum(array.size for array in layers)
    vector = np.zeros(size + 2)
    if n:
        loss, slopes = gradients(X, wanted, layers)
        vector[0] = n
        vector[1] = loss * n
        vector[2:] = np.concatenate([slope.ravel() for slope in slopes]) * n
    vector = comm.allreduce(vector)
    vector = vector / vector[0]
    slopes, at = [], 2
    for array in layers:
        slopes.append(vector[at : at + array.size].reshape(array.shape))
        at += array.size
    return float(vector[1]), slopes
