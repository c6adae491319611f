"""Wrong: averages the pipelines, although they may have different numbers of rows."""

import numpy as np


def forward(X, layers, last):
    values = [X]
    for place in range(0, len(layers), 2):
        scores = values[-1] @ layers[place] + layers[place + 1]
        values.append(scores if last and place == len(layers) - 2 else np.maximum(scores, 0))
    return values


def backward(values, error, layers):
    slopes = []
    for place in reversed(range(0, len(layers), 2)):
        given = values[place // 2]
        slopes = [given.T @ error, error.sum(axis=0), *slopes]
        error = (error @ layers[place].T) * (given > 0)
    return slopes, error


def score_error(scores, wanted, n_rows):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True) - wanted) / n_rows


def two_stages(comm, X, wanted, own, n_micro):
    if comm.rank == 0:
        kept = [forward(part, own, False) for part in np.array_split(X, n_micro)]
        for values in kept:
            comm.send(values[-1], dest=1)
        found = [backward(values, comm.recv(source=1), own)[0] for values in kept]
    else:
        found, errors = [], []
        arrived = [comm.recv(source=0) for _ in range(n_micro)]
        for given, aims in zip(arrived, np.array_split(wanted, n_micro), strict=False):
            values = forward(given, own, True)
            slopes, error = backward(values, score_error(values[-1], aims, len(wanted)), own)
            found.append(slopes)
            errors.append(error)
        for error in errors:
            comm.send(error, dest=0)
    return [sum(arrays) for arrays in zip(*found, strict=False)]


def hybrid_slopes(comm, X, wanted, own, n_micro):
    row = comm.Split(color=comm.rank // 2, key=comm.rank)
    column = comm.Split(color=comm.rank % 2, key=comm.rank)
    slopes = two_stages(row, X, wanted, own, n_micro)
    return [column.allreduce(slope) / column.size for slope in slopes]
