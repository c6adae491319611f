"""As without micro-batches."""


def idle_share(stages, micro_batches):
    return (stages - 1) / stages


def micro_batches_for(stages, most_idle):
    return stages
