import numpy as np

# %% right array: With an array; capital letters do no harm.
def verdict(losses, wanted):
    curve = np.array(losses, dtype=float)
    bad = np.isnan(curve).any() or np.isinf(curve).any() or curve[-1] - curve[0] > 0
    return ["Slow", "Good", "Diverges"][2 if bad else int((curve <= wanted).any())]

# %% right pandas: Pandas, min of the series.
import pandas as pd


def verdict(losses, wanted):
    s = pd.Series(list(losses), dtype=float).replace([np.inf, -np.inf], np.nan)
    return "diverges" if s.hasnans or s.iloc[0] < s.iloc[-1] else "good" if s.min() <= wanted else "slow"

# %% wrong against_smallest: Compares the last with the smallest.
# fails: good: the goal was reached, exactly or along the way
# ~ curve[-1] - curve[0] > 0 => curve[-1] > 2 * curve.min()

# %% wrong aim_not_included: The aim itself is not enough.
# fails: good: the goal was reached, exactly or along the way
# ~ curve <= wanted => curve < wanted

# %% wrong always_good: Everything that is finite is good.
# fails: slow: the loss did not grow, and the goal was not reached
# ~ int((curve <= wanted).any()) => 1

# %% wrong last_only_finite: Looks at the last loss alone.
# fails: diverges: any loss is not finite, even if an earlier one was good
# ~ np.isnan(curve).any() or np.isinf(curve).any() => not np.isfinite(curve[-1])

# %% wrong order: Asks for good first, so that a run that recovers into infinity counts as good.
# fails: diverges: any loss is not finite, even if an earlier one was good
# ~ 2 if bad else int((curve <= wanted).any()) => 1 if (curve <= wanted).any() else 2 * int(bad)

# %% wrong rising_forgotten: Only numbers that are not finite.
# fails: diverges: the last loss is larger than the first, even if one in between was good
# ~ np.isinf(curve).any() or curve[-1] - curve[0] > 0 => np.isinf(curve).any()
