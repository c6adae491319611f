"""Wrong: divides by m + p instead of m + p - 1."""


def idle_share(stages, micro_batches):
    return (stages - 1) / (micro_batches + stages)


def micro_batches_for(stages, most_idle):
    m = 1
    while idle_share(stages, m) > most_idle:
        m += 1
    return m
