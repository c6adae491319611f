"""Right: one row at a time with outer products, added up."""

import math

import numpy as np


def gradients(X, wanted, layers):
    n = len(X)
    slopes = [np.zeros(np.shape(array)) for array in layers]
    total = 0.0
    depth = len(layers) // 2
    for x, aim in zip(X, wanted, strict=False):
        seen = [np.asarray(x, dtype=float)]
        for k in range(depth):
            s = seen[-1] @ layers[2 * k] + layers[2 * k + 1]
            if k < depth - 1:
                s = np.where(s > 0, s, 0.0)
            seen.append(s)
        scores = seen[-1]
        top = float(max(scores))
        powers = np.exp(scores - top)
        log_sum = top + math.log(float(powers.sum()))
        total += float(sum(a * (log_sum - s) for a, s in zip(aim, scores, strict=False)))
        error = (powers / powers.sum() - aim) / n
        for k in range(depth - 1, -1, -1):
            slopes[2 * k] += np.outer(seen[k], error)
            slopes[2 * k + 1] += error
            if k:
                error = (layers[2 * k] @ error) * (seen[k] > 0)
    return total / n, slopes
