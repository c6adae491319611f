"""Wrong: idle places divided by working places instead of all places."""


def idle_share(stages, micro_batches):
    return (stages - 1) / micro_batches


def micro_batches_for(stages, most_idle):
    m = 1
    while idle_share(stages, m) > most_idle:
        m += 1
    return m
