# %% right all_patterns
from itertools import product
from math import prod


def luck(chances, right):
    total = 0
    for pattern in product([0, 1], repeat=len(chances)):
        if sum(pattern) >= right:
            total += prod(c if hit else 1 - c for hit, c in zip(pattern, chances, strict=False))
    return total


def pass_mark(chances, risk):
    return next(k for k in range(len(chances) + 2) if luck(chances, k) <= risk)

# %% right numpy
import numpy as np


def luck(chances, right):
    spread = np.ones(1)
    for chance in chances:
        spread = np.convolve(spread, [1 - chance, chance])
    return spread[right:].sum()


def pass_mark(chances, risk):
    tails = np.array([luck(chances, right) for right in range(len(chances) + 2)])
    return int(np.argmax(tails <= risk))

# %% wrong at_most, edit of right numpy
# fails: `luck` is exact for questions alike
# ~ [right:].sum => [: right + 1].sum
# ~ [luck => [1 - luck

# %% wrong mark_stops_at_the_last, edit of the solution
# fails: `pass_mark` is the smallest number that is safe enough
# ~ while luck => while right < len(chances) and luck

# %% wrong mark_strictly_below, edit of wrong mark_stops_at_the_last
# fails: `pass_mark` is the smallest number that is safe enough
# ~ right < len(chances) and luck(chances, right) > risk => luck(chances, right) > risk - 1e-9

# %% wrong d_mean_chance, edit of right numpy: All questions with the mean chance: a binomial distribution.
# fails: `luck` is exact for questions of different kinds
# ~ in chances => in [sum(chances) / max(len(chances), 1)] * len(chances)

# %% wrong d_more_than, edit of right numpy: More than this number, not at least.
# fails: `luck` is exact for questions alike
# ~ spread[right:] => spread[right + 1 :]
# ~ luck(chances, right) for right => luck(chances, right - 1) for right

# %% wrong exactly, edit of the solution
# fails: `luck` is exact for questions alike
# ~ sum(spread[right:]) => (spread + [0.0])[min(right, len(spread))]

# %% wrong mark_as_a_share, edit of wrong mark_stops_at_the_last
# fails: `pass_mark` is the smallest number that is safe enough
# ~ while right < len(chances) and luck => while luck
# ~ return right => return right / len(chances)

# %% wrong mark_begins_at_one: One right answer is needed, whatever the risk.
# fails: If any risk is accepted, no right answer is needed
# ~ k for k in range(len(chances) + 2) => k for k in range(1, len(chances) + 2)
