"""crossover forgets that the ring's parts are n / p: takes α β (p - 1 - rounds) / rounds."""

import math


def tree_seconds(p, n, alpha, beta):
    return 2 * math.ceil(math.log2(p)) * (alpha + n / beta)


def ring_seconds(p, n, alpha, beta):
    return 2 * (p - 1) * (alpha + n / p / beta)


def crossover(p, alpha, beta):
    r = math.ceil(math.log2(p))
    return max(0.0, alpha * beta * (p - 1 - r) / r)
