"""Counts the empty places of a schedule."""

import numpy as np


def idle_share(stages, micro_batches):
    places = np.zeros((stages, micro_batches + stages - 1))
    for stage in range(stages):
        places[stage, stage : stage + micro_batches] = 1
    return 1 - places.mean()


def micro_batches_for(stages, most_idle):
    m = np.arange(1, 20_000)
    return m[(stages - 1) / (m + stages - 1) <= most_idle][0]
