"""The ring takes 2 p steps instead of 2 (p - 1), so one rank alone also sends."""

import math


def tree_seconds(p, n, alpha, beta):
    return 2 * math.ceil(math.log2(p)) * (alpha + n / beta)


def ring_seconds(p, n, alpha, beta):
    return 2 * p * (alpha + n / p / beta)


def crossover(p, alpha, beta):
    r = math.ceil(math.log2(p))
    return max(0.0, alpha * beta * (p - r) / (r - 1)) if r > 1 else 0
