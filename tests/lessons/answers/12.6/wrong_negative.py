"""crossover takes log2(p) without rounding up, so it disagrees with the tree for p that is no power
of two (and is not 0 for p = 3).
"""

import math


def tree_seconds(p, n, alpha, beta):
    return 2 * math.ceil(math.log2(p)) * (alpha + n / beta)


def ring_seconds(p, n, alpha, beta):
    return 2 * (p - 1) * (alpha + n / p / beta)


def crossover(p, alpha, beta):
    r = math.log2(p)
    return alpha * beta * (p - 1 - r) / (r - (p - 1) / p)
