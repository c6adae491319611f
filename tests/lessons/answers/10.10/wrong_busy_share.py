"""The busy share."""


def idle_share(stages, micro_batches):
    return micro_batches / (micro_batches + stages - 1)


def micro_batches_for(stages, most_idle):
    micro_batches = 1
    while idle_share(stages, micro_batches) > most_idle:
        micro_batches += 1
    return micro_batches
