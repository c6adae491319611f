"""Answers to exercise 15.7."""

# %% right arrays
def best_split(gradients, hessians, penalty):
    g, h = gradients.cumsum(1), hessians.cumsum(1)
    r, s = g[:, [-1]] - g, h[:, [-1]] - h
    gain = g * g / (h + penalty) + r * r / (s + penalty) - (g[:, -1] ** 2 / (h[:, -1] + penalty))[:, None]
    gain = gain[:, :-1]
    place = int(gain.argmax())
    if gain.flat[place] <= 1e-9:
        return [0, gradients.shape[1] - 1, 0]
    feature, b = divmod(place, gain.shape[1])
    return [feature, b, gain.flat[place]]

# %% right b_accumulate: Plain Python with accumulate; a later split must be really better.
from itertools import accumulate


def score(g, h, penalty):
    return float(g) ** 2 / (float(h) + penalty) if h + penalty != 0 else 0.0


def best_split(gradients, hessians, penalty):
    best = (0, len(gradients[0]) - 1, 0.0)
    for feature, (g_row, h_row) in enumerate(zip(gradients, hessians)):
        g_left, h_left = list(accumulate(map(float, g_row))), list(accumulate(map(float, h_row)))
        g, h = g_left[-1], h_left[-1]
        for place in range(len(g_left) - 1):
            gl, hl = g_left[place], h_left[place]
            gain = score(gl, hl, penalty) + score(g - gl, h - hl, penalty) - score(g, h, penalty)
            if gain > max(best[2], 1e-9):
                best = (feature, place, gain)
    return best

# %% right b_masks: A triangle of zeros and ones makes the left sums of all splits, a generator compares them.
import numpy as np


def best_split(gradients, hessians, penalty):
    gradients, hessians = np.array(gradients, dtype=float), np.array(hessians, dtype=float)
    features, bins = gradients.shape
    to_left = np.triu(np.ones((bins, bins)))[:, : bins - 1]
    sides = [(gradients @ mask, hessians @ mask) for mask in (to_left, 1 - to_left, np.ones_like(to_left))]
    with np.errstate(divide="ignore", invalid="ignore"):
        left, right, whole = (np.nan_to_num(g * g / (h + penalty)) for g, h in sides)
    gains = left + right - whole
    every = ((gains[f, b], -f, -b) for f in range(features) for b in range(bins - 1))
    gain, feature, place = max(every, default=(0.0, 0, 0))
    return (-feature, -place, float(gain)) if gain > 1e-9 else (0, bins - 1, 0.0)

# %% right from_the_right
def best_split(gradients, hessians, penalty):
    def score(g, h):
        return g**2 / (h + penalty)

    found = []
    for f, (g, h) in enumerate(zip(gradients, hessians, strict=True)):
        for b in range(len(g) - 1):
            gain = score(g[: b + 1].sum(), h[: b + 1].sum()) + score(g[b + 1 :].sum(), h[b + 1 :].sum())
            found.append((gain - score(g.sum(), h.sum()), f, b))
    gain, f, b = max(found)
    return (f, b, gain) if gain > 1e-9 else (0, gradients.shape[1] - 1, 0.0)

# %% right loops
def best_split(gradients, hessians, penalty):
    features, bins = gradients.shape
    best = (0, bins - 1, 0.0)
    for f in range(features):
        G, H = gradients[f].sum(), hessians[f].sum()
        gl = hl = 0.0
        for b in range(bins - 1):
            gl += gradients[f, b]
            hl += hessians[f, b]
            gain = gl**2 / (hl + penalty) + (G - gl) ** 2 / (H - hl + penalty) - G**2 / (H + penalty)
            if gain > best[2] and gain > 1e-9:
                best = (f, b, gain)
    return best

# %% wrong axes
# fails: The gain is the largest of all features and bins
import numpy as np


def best_split(gradients, hessians, penalty):
    g, h = np.cumsum(gradients, axis=0), np.cumsum(hessians, axis=0)
    G, H = g[-1:], h[-1:]
    gain = g**2 / (h + penalty) + (G - g) ** 2 / (H - h + penalty) - G**2 / (H + penalty)
    feature, place = np.unravel_index(gain.argmax(), gain.shape)
    return feature, place, gain[feature, place]

# %% wrong b_first_bin: Without any gain it returns bin 0 instead of the last bin, so rows go to the right.
# fails: Where no split gains anything, all rows stay left: (0, last bin, 0.0)
# edit of right loops
# ~ 0, bins - 1, 0 => 0, 0, 0

# %% wrong b_first_gain: Returns the first split with a gain, not that with the largest.
# fails: The gain is the largest of all features and bins
def best_split(gradients, hessians, penalty):
    features, bins = gradients.shape
    best = (0, bins - 1, 0.0)
    for f in range(features):
        g, h = gradients[f].sum(), hessians[f].sum()
        for b in range(bins - 1):
            gl, hl = gradients[f, : b + 1].sum(), hessians[f, : b + 1].sum()
            gain = gl**2 / (hl + penalty) + (g - gl) ** 2 / (h - hl + penalty) - g**2 / (h + penalty)
            if best[2] == 0.0 and gain > 1e-9:
                best = (f, b, float(gain))
    return best

# %% wrong b_last_split_missed: Never tries the split before the last bin.
# fails: The gain is the largest of all features and bins
# edit of wrong b_first_gain
# ~ range(bins - 1): => range(bins - 2):
# ~ if best[2] == 0.0 and gain > 1e => if gain > best[2] + 1e

# %% wrong b_no_squares: Absolute sums of gradients instead of their squares.
# fails: The gain is the largest of all features and bins
# edit of wrong b_first_gain
# ~ if best[2] == 0.0 and gain > 1e => if gain > best[2] + 1e
# -             gain = gl**2 / (hl + penalty) + (g - gl) ** 2 / (h - hl + penalty) - g**2 / (h + penalty)
# +             gain = abs(gl) / (hl + penalty) + abs(g - gl) / (h - hl + penalty) - abs(g) / (h + penalty)

# %% wrong b_none: Returns None where no split has a gain, instead of (0, last bin, 0.0).
# fails: It returns a result
# edit of wrong b_first_gain
# ~ if best[2] == 0.0 and gain > 1e => if gain > best[2] + 1e
# -     return best
# +     return best if best[2] > 0 else None

# %% wrong bin_after
# fails: The split that is named has this gain; rows up to and with its bin go left
# edit of right loops
# ~ f, b, gain => f, b + 1, gain

# %% wrong bin_goes_right
# fails: The split that is named has this gain; rows up to and with its bin go left
# edit of right from_the_right
# ~ len(g) - 1 => 1, len(g)
# -             gain = score(g[: b + 1].sum(), h[: b + 1].sum()) + score(g[b + 1 :].sum(), h[b + 1 :].sum())
# +             gain = score(g[:b].sum(), h[:b].sum()) + score(g[b:].sum(), h[b:].sum())

# %% wrong counts_are_hessians
# fails: The gain is the largest of all features and bins
import numpy as np


def best_split(gradients, hessians, penalty):
    g, h = np.cumsum(gradients, axis=1), np.cumsum(hessians, axis=1)
    G, H = g[:, -1:], h[:, -1:]
    gain = g**2 / (np.arange(1, g.shape[1] + 1) + penalty) + (G - g) ** 2 / (H - h + penalty) - G**2 / (H + penalty)
    gain[:, -1] = 0
    feature, place = np.unravel_index(gain.argmax(), gain.shape)
    if gain[feature, place] <= 1e-9:
        return 0, gradients.shape[1] - 1, 0.0
    return feature, place, gain[feature, place]

# %% wrong first_feature_only
# fails: The gain is the largest of all features and bins
# edit of wrong counts_are_hessians
# ~ np.arange(1, g.shape[1] + 1) => h
# ~ gain[:, -1] => gain[1:, :] = gain[:, -1:]

# %% wrong half_of_it
# fails: The gain is the largest of all features and bins
# edit of wrong counts_are_hessians
# -     gain = g**2 / (np.arange(1, g.shape[1] + 1) + penalty) + (G - g) ** 2 / (H - h + penalty) - G**2 / (H + penalty)
# +     gain = (g**2 / (h + penalty) + (G - g) ** 2 / (H - h + penalty) - G**2 / (H + penalty)) / 2

# %% wrong half_precision
# fails: The gain is the largest of all features and bins
# edit of wrong counts_are_hessians
# ~ h = np.cumsum(gradients, axis=1), np => h = np.cumsum(gradients.astype("float16"), axis=1), np
# ~ np.arange(1, g.shape[1] + 1) => h

# %% wrong largest_gradient
# fails: The gain is the largest of all features and bins
import numpy as np


def best_split(gradients, hessians, penalty):
    feature, place = np.unravel_index(np.abs(gradients).argmax(), gradients.shape)
    return feature, place, float(np.abs(gradients).max())

# %% wrong no_penalty
# fails: The gain is the largest of all features and bins
# edit of wrong counts_are_hessians
# -     gain = g**2 / (np.arange(1, g.shape[1] + 1) + penalty) + (G - g) ** 2 / (H - h + penalty) - G**2 / (H + penalty)
# +     gain = g**2 / (h + 1e-12) + (G - g) ** 2 / (H - h + 1e-12) - G**2 / (H + 1e-12)

# %% wrong split_that_gains_nothing
# fails: Where no split gains anything, all rows stay left: (0, last bin, 0.0)
# edit of right from_the_right
# -     return (f, b, gain) if gain > 1e-9 else (0, gradients.shape[1] - 1, 0.0)
# +     return f, b, gain

# %% wrong sums_in_place
# fails: Inputs are not modified
# edit of right arrays
# ~ cumsum(1), hessians.cumsum(1) => cumsum(1, out=gradients), hessians.cumsum(1, out=hessians)

# %% wrong without_the_parent
# fails: The gain is the largest of all features and bins
# edit of wrong counts_are_hessians
# -     gain = g**2 / (np.arange(1, g.shape[1] + 1) + penalty) + (G - g) ** 2 / (H - h + penalty) - G**2 / (H + penalty)
# +     gain = g**2 / (h + penalty) + (G - g) ** 2 / (H - h + penalty)
