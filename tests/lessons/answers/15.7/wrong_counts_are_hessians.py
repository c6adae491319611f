import numpy as np


def best_split(gradients, hessians, penalty):
    g, h = np.cumsum(gradients, axis=1), np.cumsum(hessians, axis=1)
    G, H = g[:, -1:], h[:, -1:]
    gain = g**2 / (np.arange(1, g.shape[1] + 1) + penalty) + (G - g) ** 2 / (H - h + penalty) - G**2 / (H + penalty)
    gain[:, -1] = 0
    feature, place = np.unravel_index(gain.argmax(), gain.shape)
    if gain[feature, place] <= 1e-9:
        return 0, gradients.shape[1] - 1, 0.0
    return feature, place, gain[feature, place]
