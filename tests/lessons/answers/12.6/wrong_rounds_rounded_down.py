def tree_seconds(p, n, alpha, beta):
    return 2 * (p.bit_length() - 1) * (alpha + n / beta)


def ring_seconds(p, n, alpha, beta):
    return 2 * (p - 1) * (alpha + n / p / beta)


def crossover(p, alpha, beta):
    rounds = (p - 1).bit_length()
    return max(0, p - 1 - rounds) * alpha * beta / (rounds - (p - 1) / p)
