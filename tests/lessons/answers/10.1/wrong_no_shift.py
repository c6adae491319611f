"""Wrong: exp of the scores themselves, which is infinite for scores of 1000."""

import numpy as np


def gradients(X, wanted, layers):
    outs = [X]
    last = len(layers) - 2
    for k in range(0, len(layers), 2):
        s = outs[-1] @ layers[k] + layers[k + 1]
        outs.append(s if k == last else np.maximum(s, 0))
    powers = np.exp(outs[-1])
    p = powers / powers.sum(axis=1, keepdims=True)
    loss = -(wanted * (outs[-1] - np.log(powers.sum(axis=1, keepdims=True)))).sum() / len(X)
    error = (p - wanted) / len(X)
    slopes = []
    for k in range(last, -1, -2):
        given = outs[k // 2]
        slopes = [given.T @ error, error.sum(axis=0), *slopes]
        error = (error @ layers[k].T) * (given > 0)
    return loss, slopes
