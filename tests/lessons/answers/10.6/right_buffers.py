"""With buffers: Allreduce into arrays."""

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
    rows = np.array([float(len(X))])
    total = np.empty(1)
    comm.Allreduce(rows, total)
    found = []
    loss, slopes = gradients(X, wanted, layers) if rows[0] else (0.0, [np.zeros(a.shape) for a in layers])
    for value in [np.array([loss]), *slopes]:
        summed = np.empty_like(value)
        comm.Allreduce(np.ascontiguousarray(value * rows[0]), summed)
        found.append(summed / total[0])
    return found[0].item(), found[1:]
