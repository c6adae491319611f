"""Right: counts up until it is enough."""

from itertools import count


def idle_share(stages, micro_batches):
    return (stages - 1) / (micro_batches + stages - 1)


def micro_batches_for(stages, most_idle):
    return next(m for m in count(1) if idle_share(stages, m) <= most_idle)
