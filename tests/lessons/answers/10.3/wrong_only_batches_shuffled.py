"""Wrong: cuts first and shuffles the batches, so that neighbours stay together and the short batch is anywhere."""

import random


def batches(n_rows, size, seed):
    parts = [list(range(at, min(at + size, n_rows))) for at in range(0, n_rows, size)]
    random.Random(seed).shuffle(parts)
    return parts
