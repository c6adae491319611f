# %% right bits: Style: rounds by bit_length, crossover solved by hand.
def tree_seconds(p, n, alpha, beta):
    return 2 * (p - 1).bit_length() * (alpha + n / beta)


def ring_seconds(p, n, alpha, beta):
    return 2 * (p - 1) * (alpha + n / (p * beta))


def crossover(p, alpha, beta):
    rounds = (p - 1).bit_length()
    return max(0.0, alpha * beta * p * (p - 1 - rounds) / (p * rounds - p + 1))

# %% right numpy
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

# %% wrong crossover_is_half_size
# fails: If the ring is never slower, the crossover is 0
# ~ max(0.0, alpha * beta * p * (p - 1 - rounds) / (p * rounds - p + 1)) => alpha * beta

# %% wrong floor: Rounds log2 down instead of up.
# fails: The tree takes as long as its messages
# ~ 2 * (p - 1).bit_length() => 2 * (p.bit_length() - 1)

# %% wrong no_cut: crossover forgets that the ring's parts are n / p: takes α β (p - 1 - rounds) / rounds.
# fails: At the crossover, both take the same time
# ~ alpha * beta * p * (p - 1 - rounds) / (p * rounds - p + 1) => alpha * beta * (p - 1 - rounds) / max(rounds, 1)

# %% wrong one_too_many
# fails: The tree takes as long as its messages
# ~ 2 * (p - 1).bit_length() => 2 * p.bit_length()

# %% wrong ring_p_steps: The ring takes 2 p steps instead of 2 (p - 1), so one rank alone also sends.
# fails: The ring takes as long as its messages
# ~ 2 * (p - 1) * => 2 * p *
