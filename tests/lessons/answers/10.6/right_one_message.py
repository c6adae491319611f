"""All numbers in one array, so that one allreduce is enough."""

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
    n = len(X)
    loss, slopes = gradients(X, wanted, layers) if n else (0.0, [0 * array for array in layers])
    packed = n * np.concatenate([[loss], *(slope.ravel() for slope in slopes)])
    packed = comm.allreduce(np.append(packed, n))
    loss, *rest = packed[:-1] / packed[-1]
    arrays, begin = [], 0
    for array in layers:
        arrays.append(np.reshape(rest[begin : begin + array.size], array.shape))
        begin += array.size
    return loss, arrays
