"""Wrong: takes the layers out of the list that it was given."""

import numpy as np


def gradients(X, wanted, layers):
    outs, weights = [X], []
    while layers:
        w, b = layers.pop(0), layers.pop(0)
        s = outs[-1] @ w + b
        weights.append(w)
        outs.append(np.maximum(s, 0) if layers else s)
    s = outs[-1] - outs[-1].max(axis=1, keepdims=True)
    log_p = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    loss = -(wanted * log_p).sum() / len(X)
    error = (np.exp(log_p) - wanted) / len(X)
    slopes = []
    for given, w in zip(outs[-2::-1], weights[::-1], strict=False):
        slopes = [given.T @ error, error.sum(axis=0), *slopes]
        error = (error @ w.T) * (given > 0)
    return loss, slopes
