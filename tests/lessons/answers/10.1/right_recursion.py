"""Each layer calls the next one, and gets its error back."""

import numpy as np


def gradients(X, wanted, layers):
    loss, _, slopes = through(X, wanted, list(layers), len(X))
    return float(loss), tuple(slopes)


def through(x, wanted, layers, n):
    w, b, *rest = layers
    out = x.dot(w) + b
    if rest:
        loss, error, slopes = through(np.where(out > 0, out, 0.0), wanted, rest, n)
        error = np.where(out > 0, error, 0.0)
    else:
        top = out.max(axis=1)[:, None]
        log_sum = top + np.log(np.exp(out - top).sum(axis=1))[:, None]
        loss = (log_sum[:, 0] - (out * wanted).sum(axis=1)).mean()
        error, slopes = (np.exp(out - log_sum) - wanted) / n, []
    return loss, error.dot(w.T), [x.T.dot(error), error.sum(0), *slopes]
