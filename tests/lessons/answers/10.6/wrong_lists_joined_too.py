"""Wrong: gives the list of gradients to allreduce, which joins lists."""

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
    n = comm.allreduce(len(X))
    loss, slopes = 0.0, [np.zeros_like(array) for array in layers]
    if len(X):
        loss, slopes = gradients(X, wanted, layers)
    slopes = comm.allreduce([slope * len(X) for slope in slopes])
    return comm.allreduce(loss * len(X)) / n, [slope / n for slope in slopes]
