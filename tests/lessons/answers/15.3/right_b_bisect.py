"""Right: sorted pairs, running sums by accumulate, and bisect for each moment."""

from bisect import bisect_right
from itertools import accumulate

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    pairs = sorted(zip(np.asarray(left).tolist(), np.asarray(delay).tolist()))
    times = [time for time, _ in pairs]
    sums = list(accumulate((one for _, one in pairs), initial=0.0))
    answer = []
    for moment in np.asarray(asked).tolist():
        low, high = bisect_right(times, moment - window), bisect_right(times, moment)
        answer.append((sums[high] - sums[low]) / (high - low) if high > low else 0.0)
    return np.array(answer, dtype=float)
