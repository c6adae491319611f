"""The first of all numbers that fits."""

from itertools import count


def idle_share(stages, micro_batches):
    waits = stages - 1
    return waits / (waits + micro_batches)


def micro_batches_for(stages, most_idle):
    return next(m for m in count(1) if idle_share(stages, m) <= most_idle)
