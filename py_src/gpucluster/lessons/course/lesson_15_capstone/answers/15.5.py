import numpy as np

# %% right b_group_means: Pandas gives each flight the mean of its equals, and then the first of the sorted list are taken.
import math

import pandas as pd


def lift(chance, late, share):
    table = pd.DataFrame({"chance": np.asarray(chance), "late": np.asarray(late).astype(float)})
    fair = table.groupby("chance")["late"].transform("mean")
    n = max(1, math.floor(share * len(table)))
    first = table["chance"].sort_values(ascending=False).index[:n]
    return float(fair[first].mean() / table["late"].mean())

# %% right border
def lift(chance, late, share):
    late = np.asarray(late, dtype=float)
    top = max(1, int(share * len(chance) + 1e-9))
    border = np.partition(chance, -top)[-top]
    above, equal = chance > border, chance == border
    return (late[above].sum() + (top - above.sum()) * late[equal].mean()) / top / late.mean()

# %% wrong all_at_the_border, edit of right b_group_means
# fails: Flights with equal chances at the border count by their mean, whatever their order
def lift(chance, late, share):
    top = max(1, int(share * len(chance) + 1e-9))
    return np.asarray(late)[chance >= np.sort(chance)[-top]].mean() / np.asarray(late).mean()

# %% wrong b_against_rest, edit of right border: Divides by the share among the flights that are not on the list, not among all.
# fails: The lift is a finite number
# -     return (late[above].sum() + (top - above.sum()) * late[equal].mean()) / top / late.mean()
# +     on_list = late[above].sum() + (top - above.sum()) * late[equal].mean()
# +     return on_list / top / ((late.sum() - on_list) / (len(late) - top))

# %% wrong b_not_divided, edit of right b_group_means: Gives the share of late flights on the list, without dividing by the share among all.
# fails: The number of flights on the list is rounded down
def lift(chance, late, share):
    n = max(1, int(share * len(chance)))
    edge = np.sort(chance)[::-1][n - 1]
    above, on = chance > edge, chance == edge
    on_list = (late[above].sum() + (n - above.sum()) * late[on].mean()) / n
    return float(on_list)

# %% wrong b_tenth_fixed, edit of wrong b_not_divided: The list always has one flight in ten, whatever share says.
# fails: It is the share of late flights on the list, divided by the share among all flights
# fails: Flights with equal chances at the border count by their mean, whatever their order
# ~ int(share * len(chance)) => len(chance) // 10
# ~ float(on_list) => float(on_list / np.mean(late))

# %% wrong empty_list, edit of right border
# fails: The list has at least one flight
# -     top = max(1, int(share * len(chance) + 1e-9))
# +     top = int(share * len(chance) + 1e-9)
# +     if top == 0:
# +         return 1.0

# %% wrong rounded_to_the_nearest, edit of right border: Rounds the number of flights to the nearest one.
# fails: The number of flights on the list is rounded down
# ~ int(share * len(chance) + 1e-9) => round(share * len(chance))

# %% wrong single_precision, edit of right border: Chances in 4 bytes: some become equal.
# fails: Probabilities are compared with all digits
# ~ late = np.asarray => chance, late = np.float32(chance), np.asarray
