"""Right: Python's own random.Random, lists of whole numbers."""

import random


def batches(n_rows, size, seed):
    order = list(range(n_rows))
    random.Random(int(seed)).shuffle(order)
    return [order[at : at + size] for at in range(0, n_rows, size)]
