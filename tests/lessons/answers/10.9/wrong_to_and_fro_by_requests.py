"""Waits for each error before the next micro-batch goes, by requests that are asked again and again."""

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
    found = []
    if comm.rank == 0:
        for part in np.array_split(X, n_micro):
            values = forward(part, own, False)
            comm.send(values[-1], dest=1)
            coming = comm.irecv(source=1)
            done, error = coming.test()
            while not done:
                done, error = coming.test()
            found.append(backward(values, error, own)[0])
    else:
        for aims in np.array_split(wanted, n_micro):
            values = forward(comm.recv(source=0), own, True)
            slopes, error = backward(values, score_error(values[-1], aims, len(wanted)), own)
            found.append(slopes)
            comm.send(error, dest=0)
    return [sum(arrays) for arrays in zip(*found, strict=False)]
