import numpy as np


def best_split(gradients, hessians, penalty):
    g, h = np.cumsum(gradients, axis=1, out=gradients), np.cumsum(hessians, axis=1, out=hessians)
    G, H = g[:, -1:], h[:, -1:]
    gain = g**2 / (h + penalty) + (G - g) ** 2 / (H - h + penalty) - G**2 / (H + penalty)
    gain[:, -1] = 0
    feature, place = np.unravel_index(gain.argmax(), gain.shape)
    return (feature, place, gain[feature, place]) if gain.max() > 1e-9 else (0, g.shape[1] - 1, 0.0)
