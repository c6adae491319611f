"""Right: einsum, logaddexp.reduce, argmax of the wanted rows, a dictionary of outputs."""

import numpy as np


def gradients(X, wanted, layers):
    weights, biases = layers[0::2], layers[1::2]
    out = {0: np.asarray(X)}
    for k, (w, b) in enumerate(zip(weights, biases, strict=False), start=1):
        out[k] = np.einsum("ij,jk->ik", out[k - 1], w) + b
        if k != len(weights):
            out[k] = out[k].clip(min=0)
    scores = out[len(weights)]
    log_p = scores - np.logaddexp.reduce(scores, axis=1)[:, None]
    which = np.argmax(wanted, axis=1)
    loss = -np.mean(log_p[np.arange(len(X)), which])
    error = np.exp(log_p)
    error[np.arange(len(X)), which] -= 1
    error /= len(X)
    slopes = [None] * len(layers)
    for k in range(len(weights), 0, -1):
        slopes[2 * k - 2] = np.einsum("ij,ik->jk", out[k - 1], error)
        slopes[2 * k - 1] = np.einsum("ij->j", error)
        error = np.einsum("ik,jk->ij", error, weights[k - 1]) * np.sign(out[k - 1].clip(min=0))
    return loss, slopes
