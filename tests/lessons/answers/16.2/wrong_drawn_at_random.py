import numpy as np


def luck(chances, right):
    draws = np.random.default_rng(0).random((20_000, len(chances))) < np.array(chances)
    return (draws.sum(axis=1) >= right).mean()


def pass_mark(chances, risk):
    right = 0
    while luck(chances, right) > risk:
        right += 1
    return right
