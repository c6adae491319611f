"""A rank without rows returns at once; the others wait."""

import numpy as np


def gradients(X, wanted, layers):
    values = [X]
    for place in range(0, len(layers), 2):
        scores = values[-1] @ layers[place] + layers[place + 1]
        values.append(np.maximum(scores, 0))
    scores = scores - scores.max(axis=1, keepdims=True)
    logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    loss = -(wanted * logs).sum() / len(X)
    error = (np.exp(logs) - wanted) / len(X)
    slopes = []
    for place in reversed(range(0, len(layers), 2)):
        given = values[place // 2]
        slopes = [given.T @ error, error.sum(axis=0), *slopes]
        error = (error @ layers[place].T) * (given > 0)
    return loss, slopes


def parallel_gradients(comm, X, wanted, layers):
    total = comm.allreduce(len(X))
    if not len(X):
        return 0.0, [np.zeros_like(array) for array in layers]
    if len(X):
        loss, slopes = gradients(X, wanted, layers)
    else:
        loss, slopes = 0.0, [np.zeros_like(array) for array in layers]
    share = len(X) / total
    return comm.allreduce(loss * share), [comm.allreduce(slope * share) for slope in slopes]
