"""Answers to exercise 10.4."""

# %% right array: With an array; capital letters do no harm.
import numpy as np


def verdict(losses, wanted):
    curve = np.array(losses, dtype=float)
    bad = np.isnan(curve).any() or np.isinf(curve).any() or curve[-1] - curve[0] > 0
    return ["Slow", "Good", "Diverges"][2 if bad else int((curve <= wanted).any())]

# %% right pandas: Pandas, min of the series.
import numpy as np
import pandas as pd


def verdict(losses, wanted):
    s = pd.Series(list(losses), dtype=float).replace([np.inf, -np.inf], np.nan)
    return "diverges" if s.hasnans or s.iloc[0] < s.iloc[-1] else "good" if s.min() <= wanted else "slow"

# %% wrong against_smallest: Compares the last with the smallest.
# fails: good: the aim was reached, exactly or on the way
# edit of right array
def verdict(losses, wanted):
    if not np.isfinite(losses).all() or losses[-1] > 2 * min(losses):
        return "diverges"
    return "good" if min(losses) <= wanted else "slow"

# %% wrong aim_not_included: The aim itself is not enough.
# fails: good: the aim was reached, exactly or on the way
# edit of wrong against_smallest
# ~ 2 * min(losses) => losses[0]
# ~ if min(losses) <= wanted else "slow" => if min(losses) < wanted else "slow"

# %% wrong always_good: Everything that is finite is good.
# fails: slow: no harm at the end, and the aim was not reached
# edit of wrong aim_not_included
# -     return "good" if min(losses) < wanted else "slow"
# +     return "good"

# %% wrong last_only_finite: Looks at the last loss alone.
# fails: diverges: a loss that is no finite number, anywhere, also where an earlier one was good
# edit of wrong against_smallest
# ~ isfinite(losses).all() or losses[-1] > 2 * min(losses): => isfinite(losses[-1]) or losses[-1] > losses[0]:

# %% wrong order: Asks for good first, so that a run that recovers into infinity counts as good.
# fails: diverges: a loss that is no finite number, anywhere, also where an earlier one was good
# edit of wrong always_good
# ~ return "good" => return "slow"
# -     if not np.isfinite(losses).all() or losses[-1] > losses[0]:
# +     if any(loss <= wanted for loss in losses):
# +         return "good"
# +     if not np.all(np.isfinite(losses)) or losses[-1] > losses[0]:

# %% wrong rising_forgotten: Only numbers that are not finite.
# fails: diverges: the last loss is larger than the first, also where one between them was good
# edit of wrong against_smallest
# ~ all() or losses[-1] > 2 * min(losses): => all():
