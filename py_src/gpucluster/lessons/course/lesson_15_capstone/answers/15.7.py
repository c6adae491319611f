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
# fails: The gain is the largest over all features and bins
# ~ gradients.cumsum(1), hessians.cumsum(1) => gradients.cumsum(0), hessians.cumsum(0)

# %% wrong b_first_bin, edit of right loops: Without any gain it returns bin 0 instead of the last bin, so rows go to the right.
# fails: If no split gains anything, all rows stay left: (0, last bin, 0.0)
# ~ 0, bins - 1, 0 => 0, 0, 0

# %% wrong b_last_split_missed, edit of right loops: Never tries the split before the last bin.
# fails: The gain is the largest over all features and bins
# ~ range(bins - 1) => range(bins - 2)

# %% wrong b_none, edit of right loops: Returns None where no split has a gain, instead of (0, last bin, 0.0).
# fails: It returns a result
# ~ return best => return best if best[2] else None

# %% wrong bin_after, edit of right loops
# fails: The returned split has this gain; rows up to and including its bin go left
# ~ f, b, gain => f, b + 1, gain

# %% wrong first_feature_only
# fails: The gain is the largest over all features and bins
# ~ gain = gain[:, :-1] => gain = gain[:1, :-1]

# %% wrong no_penalty
# fails: The gain is the largest over all features and bins
# ~ hessians, penalty): => hessians, _, penalty=1e-12):

# %% wrong split_that_gains_nothing, edit of right from_the_right
# fails: If no split gains anything, all rows stay left: (0, last bin, 0.0)
# ~ (f, b, gain) if gain > 1e-9 else (0, gradients.shape[1] - 1, 0.0) => f, b, gain
