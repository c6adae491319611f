import numpy as np


def tree_seconds(p, n, alpha, beta):
    rounds = np.ceil(np.log2(p))
    return 2 * rounds * alpha + 2 * rounds * n / beta


def ring_seconds(p, n, alpha, beta):
    return np.float64(2 * (p - 1) * alpha + 2 * (p - 1) * n / (p * beta))


def crossover(p, alpha, beta):
    rounds = np.ceil(np.log2(p))
    latency = (p - 1) - rounds
    transfer = rounds - (p - 1) / p
    return np.maximum(latency, 0) / transfer * (alpha * beta)
