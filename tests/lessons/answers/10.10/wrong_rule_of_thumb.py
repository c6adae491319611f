"""Four times as many micro-batches as stages."""


def idle_share(stages, micro_batches):
    return (stages - 1) / (micro_batches + stages - 1)


def micro_batches_for(stages, most_idle):
    return 4 * stages
