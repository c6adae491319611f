def tree_seconds(p, n, alpha, beta):
    return 2 * (p - 1).bit_length() * (alpha + n / beta)


def ring_seconds(p, n, alpha, beta):
    return 2 * (p - 1) * (alpha + n / beta)


def crossover(p, alpha, beta):
    rounds = (p - 1).bit_length()
    return max(0, p - 1 - rounds) * alpha * beta / (rounds - (p - 1) / p)
