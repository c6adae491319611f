"""A generator of lists, from Python's own random numbers."""

import random


def batches(n_rows, size, seed):
    rows = list(range(n_rows))
    random.Random(seed).shuffle(rows)
    while rows:
        yield rows[:size]
        rows = rows[size:]
