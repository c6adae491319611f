"""Everybody gets everybody's sums, and adds them up by itself."""

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
    mine = None
    if X.shape[0] > 0:
        loss, slopes = gradients(X, wanted, layers)
        mine = len(X), loss, slopes
    given = [one for one in comm.allgather(mine) if one is not None]
    n = sum(rows for rows, _, _ in given)
    loss = sum(rows * value for rows, value, _ in given) / n
    return loss, [sum(rows * slopes[k] for rows, _, slopes in given) / n for k in range(len(layers))]
