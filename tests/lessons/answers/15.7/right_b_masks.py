"""Right: a triangle of zeros and ones makes the left sums of all splits, a generator compares them."""

import numpy as np


def best_split(gradients, hessians, penalty):
    gradients, hessians = np.array(gradients, dtype=float), np.array(hessians, dtype=float)
    features, bins = gradients.shape
    to_left = np.triu(np.ones((bins, bins)))[:, : bins - 1]
    sides = [(gradients @ mask, hessians @ mask) for mask in (to_left, 1 - to_left, np.ones_like(to_left))]
    with np.errstate(divide="ignore", invalid="ignore"):
        left, right, whole = (np.nan_to_num(g * g / (h + penalty)) for g, h in sides)
    gains = left + right - whole
    every = ((gains[f, b], -f, -b) for f in range(features) for b in range(bins - 1))
    gain, feature, place = max(every, default=(0.0, 0, 0))
    return (-feature, -place, float(gain)) if gain > 1e-9 else (0, bins - 1, 0.0)
