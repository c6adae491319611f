"""The bin itself goes right."""

import numpy as np


def best_split(gradients, hessians, penalty):
    G, H = gradients.sum(axis=1, keepdims=True), hessians.sum(axis=1, keepdims=True)
    left_g, left_h = (
        (np.cumsum(gradients, axis=1) - gradients)[:, :-1],
        (np.cumsum(hessians, axis=1) - hessians)[:, :-1],
    )
    gain = left_g**2 / (left_h + penalty) + (G - left_g) ** 2 / (H - left_h + penalty) - G**2 / (H + penalty)
    feature, split = np.unravel_index(gain.argmax(), gain.shape)
    if gain[feature, split] <= 1e-9:
        return 0, gradients.shape[1] - 1, 0.0
    return int(feature), int(split), float(gain[feature, split])
