"""Right: running sums of all features at once, and one argmax."""

import numpy as np


def best_split(gradients, hessians, penalty):
    g, h = np.asarray(gradients, dtype=float), np.asarray(hessians, dtype=float)
    n_bins = g.shape[1]
    if n_bins < 2:
        return 0, n_bins - 1, 0.0

    def part(g, h):
        return np.divide(g**2, h + penalty, out=np.zeros_like(g), where=h + penalty > 0)

    g_left, h_left = g.cumsum(axis=1), h.cumsum(axis=1)
    whole_g, whole_h = g_left[:, -1:], h_left[:, -1:]
    g_left, h_left = g_left[:, :-1], h_left[:, :-1]
    gain = part(g_left, h_left) + part(whole_g - g_left, whole_h - h_left) - part(whole_g, whole_h)
    feature, place = np.unravel_index(gain.argmax(), gain.shape)
    if gain[feature, place] <= 1e-9:
        return 0, n_bins - 1, 0.0
    return int(feature), int(place), float(gain[feature, place])
