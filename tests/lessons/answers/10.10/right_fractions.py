"""Right: exact fractions from the written decimal number."""

import math
from fractions import Fraction


def idle_share(stages, micro_batches):
    waits = stages - 1
    return float(Fraction(waits, waits + micro_batches))


def micro_batches_for(stages, most_idle):
    if stages == 1:
        return 1
    share = Fraction(str(float(most_idle)))
    return max(1, math.ceil((stages - 1) * (1 - share) / share))
