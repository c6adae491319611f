"""Style: both times are straight lines in n; crossover intersects them from two points each."""

import math


def tree_seconds(p, n, alpha, beta):
    return sum(alpha + n / beta for _ in range(2 * math.ceil(math.log2(p))))


def ring_seconds(p, n, alpha, beta):
    part = n / p
    total = 0.0
    for _ in range(p - 1):
        total += alpha + part / beta  # adding up
    for _ in range(p - 1):
        total += alpha + part / beta  # going round
    return total


def crossover(p, alpha, beta):
    unit = alpha * beta
    behind = ring_seconds(p, 0, alpha, beta) - tree_seconds(p, 0, alpha, beta)
    later = ring_seconds(p, unit, alpha, beta) - tree_seconds(p, unit, alpha, beta)
    if p <= 3:
        return 0
    return unit * behind / (behind - later)
