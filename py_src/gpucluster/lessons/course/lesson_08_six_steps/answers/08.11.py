# %% right comprehension
import numpy as np


def slopes(f, x, h=1e-5):
    return [(f(x + e) - f(x - e)) / (2 * h) for e in h * np.eye(len(x))]

# %% right lists
def slopes(f, x, h=1e-5):
    result = []
    for i, value in enumerate(x):
        up, down = list(x), list(x)
        up[i], down[i] = value + h, value - h
        result.append((f(up) - f(down)) / h / 2)
    return tuple(result)

# %% wrong all_at_once
# fails: It returns the central differences
# ~ [(f(x + e) - f(x - e)) / (2 * h) for e in h * np.eye(len(x))] => np.full(len(x), (f(x + h) - f(x - h)) / (2 * h))

# %% wrong b_by_h: Divides by h instead of 2h.
# fails: It returns the central differences
# ~ (2 * h) => h

# %% wrong b_one_number: Gives the length of the gradient, not one number for each entry.
# fails: What `slopes` returns has the right shape
# ~ return [(f(x + e) - f(x - e)) / (2 * h) for e in h * np.eye(len(x))] => return np.linalg.norm([(f(x + e) - f(x - e)) / (2 * h) for e in h * np.eye(len(x))])

# %% wrong c_whole_numbers_cut_off: The steps are written into a copy of x: where x has whole numbers, they are cut off.
# fails: It returns the central differences
# ~ h * np.eye(len(x)) => (h * np.eye(len(x))).astype(x.dtype)
