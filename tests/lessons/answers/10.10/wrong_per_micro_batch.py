"""Bubbles per work: (p - 1) / m."""


def idle_share(stages, micro_batches):
    return (stages - 1) / micro_batches


def micro_batches_for(stages, most_idle):
    micro_batches = 1
    while idle_share(stages, micro_batches) > most_idle:
        micro_batches += 1
    return micro_batches
