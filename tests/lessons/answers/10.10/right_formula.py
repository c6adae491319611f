"""The inequality solved for m, with fractions."""

from fractions import Fraction
from math import ceil


def idle_share(stages, micro_batches):
    return Fraction(stages - 1, micro_batches + stages - 1)


def micro_batches_for(stages, most_idle):
    share = Fraction(most_idle)
    return max(1, ceil((stages - 1) * (1 - share) / share))
