import math


def tree_seconds(p, n, alpha, beta):
    return 2 * math.ceil(math.log2(p)) * (alpha + n / beta)


def ring_seconds(p, n, alpha, beta):
    return 2 * (p - 1) * (alpha + n / p / beta)


def crossover(p, alpha, beta):
    low, high = 0.0, 1e30
    if ring_seconds(p, 0, alpha, beta) <= tree_seconds(p, 0, alpha, beta):
        return 0.0
    for _ in range(400):
        middle = (low + high) / 2
        if ring_seconds(p, middle, alpha, beta) > tree_seconds(p, middle, alpha, beta):
            low = middle
        else:
            high = middle
    return (low + high) / 2
