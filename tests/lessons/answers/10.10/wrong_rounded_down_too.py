"""Wrong: rounds the number of micro-batches down."""


def idle_share(stages, micro_batches):
    return (stages - 1) / (micro_batches + stages - 1)


def micro_batches_for(stages, most_idle):
    return max(1, int((stages - 1) * (1 - most_idle) / most_idle))
