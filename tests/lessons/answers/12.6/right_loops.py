def rounds_of(p):
    rounds, reached = 0, 1
    while reached < p:
        rounds, reached = rounds + 1, 2 * reached
    return rounds


def tree_seconds(p, n, alpha, beta):
    one = alpha + n / beta
    return sum(one for _ in range(rounds_of(p))) + sum(one for _ in range(rounds_of(p)))


def ring_seconds(p, n, alpha, beta):
    return sum(alpha + (n / p) / beta for _ in range(2 * (p - 1)))


def crossover(p, alpha, beta):
    rounds = rounds_of(p)
    if rounds >= p - 1:
        return 0
    return alpha * (p - 1 - rounds) / ((rounds - 1 + 1 / p) / beta)
