# %% right loop
def airport_now(left, delay, asked, window=60.0):
    result = []
    for moment in asked:
        chosen = [d for when, d in zip(left, delay, strict=True) if moment - window < when <= moment]
        result.append(sum(chosen) / len(chosen) if chosen else 0)
    return result

# %% right matrix
import numpy as np


def airport_now(left, delay, asked, window=60.0):
    inside = (left[None, :] > asked[:, None] - window) & (left[None, :] <= asked[:, None])
    count = inside.sum(axis=1)
    return (inside @ delay) / np.where(count == 0, 1, count)

# %% right pandas_tuple
import pandas as pd


def airport_now(left, delay, asked, window=60.0):
    column = pd.Series(delay, index=left).sort_index()
    return tuple(
        0.0 if len(part := column[(column.index > t - window) & (column.index <= t)]) == 0 else float(part.mean())
        for t in asked
    )

# %% wrong all_flights, edit of right matrix
# fails: If no flight left in the window, it is 0
def airport_now(left, delay, asked, window=60.0):
    return np.full(len(asked), delay.mean() if len(delay) else 0.0)

# %% wrong b_median, edit of right matrix: The median of the delays instead of their mean.
# fails: It is the mean delay of flights that left after moment - window, up to and including the moment
def airport_now(left, delay, asked, window=60.0):
    answer = []
    for moment in asked:
        here = (left > moment - window) & (left <= moment)
        answer.append(np.median(delay[here]) if here.any() else 0.0)
    return np.array(answer, dtype=float)

# %% wrong b_nan, edit of wrong b_median: Gives nan instead of 0 where no flight left.
# fails: The result has only finite numbers
# ~ np.median(delay[here]) if here.any() else 0.0 => delay[here].mean() if here.any() else np.nan
