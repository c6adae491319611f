"""Sends without waiting, and goes back as soon as it can."""

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
    sums = [0.0] * len(own)
    if comm.rank == 1:
        requests = []
        for aims in np.array_split(wanted, n_micro):
            values = forward(comm.recv(source=0), own, True)
            slopes, error = backward(values, score_error(values[-1], aims, len(wanted)), own)
            requests.append(comm.isend(error, dest=0))
            sums = [total + slope for total, slope in zip(sums, slopes, strict=False)]
        for request in requests:
            request.wait()
        return sums
    waiting, requests = [], []
    for part in np.array_split(X, n_micro):
        waiting.append(forward(part, own, False))
        requests.append(comm.isend(waiting[-1][-1], dest=1))
    for values in waiting:
        slopes, _ = backward(values, comm.recv(source=1), own)
        sums = [total + slope for total, slope in zip(sums, slopes, strict=False)]
    for request in requests:
        request.wait()
    return tuple(sums)
