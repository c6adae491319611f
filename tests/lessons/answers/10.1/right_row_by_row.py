"""One row after the other, with lists for the layers; the sums are divided at the end."""

import numpy as np


def gradients(X, wanted, layers):
    pairs = [(layers[i], layers[i + 1]) for i in range(0, len(layers), 2)]
    sums = [np.zeros(array.shape) for array in layers]
    loss = 0.0
    for x, aim in zip(X, wanted, strict=False):
        outs = [x]
        for number, (w, b) in enumerate(pairs):
            z = outs[-1] @ w + b
            outs.append(np.maximum(z, 0) if number < len(pairs) - 1 else z)
        z = outs[-1] - outs[-1].max()
        log_p = z - np.log(np.exp(z).sum())
        loss -= aim @ log_p
        error = np.exp(log_p) - aim
        for number in range(len(pairs) - 1, -1, -1):
            sums[2 * number] += np.outer(outs[number], error)
            sums[2 * number + 1] += error
            error = pairs[number][0] @ error
            if number:
                error = error * (outs[number] > 0)
    return loss / len(X), [array / len(X) for array in sums]
