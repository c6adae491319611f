import numpy as np


def luck(chances, right):
    spread = np.ones(1)
    for chance in chances:
        spread = np.convolve(spread, [1 - chance, chance])
    return spread[right:].sum()


def pass_mark(chances, risk):
    tails = np.array([luck(chances, right) for right in range(len(chances) + 2)])
    return int(np.argmax(tails <= risk))
