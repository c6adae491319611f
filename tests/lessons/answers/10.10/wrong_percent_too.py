"""Wrong: the idle share is in percent."""


def idle_share(stages, micro_batches):
    return 100 * (stages - 1) / (micro_batches + stages - 1)


def micro_batches_for(stages, most_idle):
    m = 1
    while idle_share(stages, m) > 100 * most_idle:
        m += 1
    return m
