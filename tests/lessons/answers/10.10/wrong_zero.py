"""Wrong: gives 0 micro-batches for one stage, and negative-looking small cases are not lifted to 1."""

import math


def idle_share(stages, micro_batches):
    return (stages - 1) / (micro_batches + stages - 1)


def micro_batches_for(stages, most_idle):
    return math.ceil(round((stages - 1) * (1 - most_idle) / most_idle, 9))
