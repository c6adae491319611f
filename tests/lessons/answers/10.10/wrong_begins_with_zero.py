"""No micro-batch at all can be an answer."""


def idle_share(stages, micro_batches):
    return (stages - 1) / (micro_batches + stages - 1)


def micro_batches_for(stages, most_idle):
    micro_batches = 0
    if stages == 1:
        return 0
    while idle_share(stages, micro_batches) > most_idle:
        micro_batches += 1
    return micro_batches
