"""In the ring each message has all n bytes instead of one part."""

import math


def tree_seconds(p, n, alpha, beta):
    return 2 * math.ceil(math.log2(p)) * (alpha + n / beta)


def ring_seconds(p, n, alpha, beta):
    return 2 * (p - 1) * (alpha + n / beta)


def crossover(p, alpha, beta):
    r = math.ceil(math.log2(p))
    return max(0.0, alpha * beta * (p - 1 - r) / (r - (p - 1) / p))
