"""Answers to exercise 12.6."""

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
# fails: Where the ring is never slower, the crossover is 0
# ~ (p * beta) => p / beta
# ~ rounds = (p => (p
# ~ max(0.0, alpha * beta * p * (p - 1 - rounds) / (p * rounds - p + 1)) => alpha * beta

# %% wrong floor: Rounds log2 down instead of up.
# fails: The tree takes as long as its messages
# ~ 2 * (p - 1).bit_length() => 2 * math.floor(math.log2(p))
# ~ (p * beta) => p / beta
# ~ rounds = (p - 1).bit_length() => r = math.floor(math.log2(p))
# ~ p * (p - 1 - rounds) / (p * rounds - p + 1) => (p - 1 - r) / (r - (p - 1) / p)
import math

# %% wrong latency_once
# fails: The ring takes as long as its messages
# ~ 2 * (p - 1) * (alpha + n / (p * beta)) => alpha + 2 * (p - 1) * n / p / beta
# -     return max(0.0, alpha * beta * p * (p - 1 - rounds) / (p * rounds - p + 1))
# +     return max(0, p - 1 - rounds) * alpha * beta / (rounds - (p - 1) / p)

# %% wrong no_cut: crossover forgets that the ring's parts are n / p: takes α β (p - 1 - rounds) / rounds.
# fails: At the crossover both take the same time
# edit of wrong floor
# ~ return 2 * math.floor(math.log2(p)) => return 2 * math.ceil(math.log2(p))
# ~ r = math.floor(math.log2(p)) => r = math.ceil(math.log2(p))
# ~ max(0.0, alpha * beta * (p - 1 - r) / (r - (p - 1) / p)) => max(0.0, alpha * beta * (p - 1 - r) / r)

# %% wrong one_too_many
# fails: The tree takes as long as its messages
# edit of wrong latency_once
# ~ 2 * (p - 1).bit_length() => 2 * p.bit_length()
# ~ alpha + 2 * (p - 1) * n / p / beta => 2 * (p - 1) * (alpha + n / p / beta)

# %% wrong ring_p_steps: The ring takes 2 p steps instead of 2 (p - 1), so one rank alone also sends.
# fails: The ring takes as long as its messages
# edit of wrong no_cut
# ~ return 2 * (p - 1) * (alpha + n / p / beta) => return 2 * p * (alpha + n / p / beta)
# ~ max(0.0, alpha * beta * (p - 1 - r) / r) => max(0.0, alpha * beta * (p - r) / (r - 1)) if r > 1 else 0
