"""Right: recursion goes forward, and comes back with the error; a float and a list."""

import numpy as np


def _walk(x, rest, wanted):
    weight, bias = rest[0], rest[1]
    out = x @ weight + bias
    if len(rest) == 2:
        out = out - out.max(1, keepdims=True)
        log_p = out - np.log(np.exp(out).sum(1, keepdims=True))
        loss = -(wanted * log_p).sum() / x.shape[0]
        error, later = (np.exp(log_p) - wanted) / x.shape[0], []
    else:
        loss, error, later = _walk(np.maximum(out, 0), rest[2:], wanted)
        error = np.where(out > 0, error, 0)
    return loss, error @ weight.T, [x.T @ error, error.sum(0)] + later


def gradients(X, wanted, layers):
    loss, _, slopes = _walk(X, list(layers), wanted)
    return float(loss), slopes
