"""Wrong: wants less than most_idle, so an exact hit gives one too many."""


def idle_share(stages, micro_batches):
    return (stages - 1) / (micro_batches + stages - 1)


def micro_batches_for(stages, most_idle):
    m = 1
    while idle_share(stages, m) >= most_idle:
        m += 1
    return m
