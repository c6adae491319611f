"""How many leave, by the sums of the sizes before each."""

import numpy as np


def to_spill(buffers, needed, limit):
    free = limit - needed - sum(one["bytes"] for one in buffers)
    old = sorted((one for one in buffers if not one["exposed"]), key=lambda one: one["last_used"])
    before = np.concatenate([[0], np.cumsum([one["bytes"] for one in old], dtype=np.int64)])
    return [one["name"] for one, freed in zip(old, before) if free + freed < 0]
