"""Right: a rank without rows computes with one row of zeros, and weighs it with 0."""

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
    share = len(X) / comm.allreduce(len(X))
    if not len(X):
        X, wanted = np.zeros((1, layers[0].shape[0])), np.zeros((1, layers[-1].shape[0]))
        wanted[0, 0] = 1
    loss, slopes = gradients(X, wanted, layers)
    return comm.allreduce(loss * share), [comm.allreduce(slope * share) for slope in slopes]
