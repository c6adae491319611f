"""Style: rounds by bit_length, crossover solved by hand."""


def tree_seconds(p, n, alpha, beta):
    return 2 * (p - 1).bit_length() * (alpha + n / beta)


def ring_seconds(p, n, alpha, beta):
    return 2 * (p - 1) * (alpha + n / (p * beta))


def crossover(p, alpha, beta):
    rounds = (p - 1).bit_length()
    return max(0.0, alpha * beta * p * (p - 1 - rounds) / (p * rounds - p + 1))
