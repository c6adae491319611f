"""Wrong: draws at random instead of calculating."""

import numpy as np


def luck(chances, right):
    draws = np.random.default_rng(0).random((20_000, len(chances))) < np.array(chances)
    return float((draws.sum(axis=1) >= right).mean())


def pass_mark(chances, risk):
    return next((k for k in range(len(chances) + 1) if luck(chances, k) <= risk), len(chances) + 1)
