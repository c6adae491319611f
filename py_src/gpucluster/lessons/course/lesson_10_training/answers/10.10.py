# %% right count_up: Counts up until it is enough.
from itertools import count


def idle_share(stages, micro_batches):
    return (stages - 1) / (micro_batches + stages - 1)


def micro_batches_for(stages, most_idle):
    return next(m for m in count(1) if idle_share(stages, m) <= most_idle)

# %% right formula: The inequality solved for m, with fractions.
# ~ return (stages - 1) / (micro_batches + stages - 1) => return Fraction(stages - 1, micro_batches + stages - 1)
# - from itertools import count
# + from fractions import Fraction
# + from math import ceil
# -     return next(m for m in count(1) if idle_share(stages, m) <= most_idle)
# +     share = Fraction(most_idle)
# +     return max(1, ceil((stages - 1) * (1 - share) / share))

# %% right next: The first of all numbers that fits.
# -     return (stages - 1) / (micro_batches + stages - 1)
# +     waits = stages - 1
# +     return waits / (waits + micro_batches)

# %% wrong begins_with_zero: No micro-batch at all can be an answer.
# fails: It is a whole number of 1 or more
# ~ count(1) if => count() if stages == 1 or

# %% wrong no_pipeline: As without micro-batches.
# fails: The idle share is right
# ~ (micro_batches + stages - 1) => stages
# ~ next(m for m in count(1) if idle_share(stages, m) <= most_idle) => stages

# %% wrong one_too_many: Exactly as much as allowed is not enough.
# fails: One fewer would not be enough
# ~ <= most_idle => < most_idle

# %% wrong rounded_down: Rounded down.
# fails: This number is enough
# -     return next(m for m in count(1) if idle_share(stages, m) <= most_idle)
# +     return max(1, int((stages - 1) * (1 - most_idle) / most_idle))

# %% wrong rule_of_thumb: Four times as many micro-batches as stages.
# fails: This number is enough
# ~ next(m for m in count(1) if idle_share(stages, m) <= most_idle) => 4 * stages
