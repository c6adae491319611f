"""Style: NumPy, a column of changes and its cumulative sum; the values are NumPy integers."""

import numpy as np


def statistics(events):
    sizes = {}
    changes = [(0, 0)]
    for what, name, *size in events:
        if what == "allocate":
            sizes[name] = size[0]
            changes.append((size[0], 1))
        else:
            changes.append((-sizes[name], -1))
    changes = np.array(changes, dtype=np.int64)
    running = np.cumsum(changes, axis=0)
    made = changes[changes[:, 1] > 0]
    result = {}
    for column, unit in enumerate(("bytes", "count")):
        result["current_" + unit] = running[-1, column]
        result["peak_" + unit] = running[:, column].max()
        result["total_" + unit] = made[:, column].sum() if len(made) else 0
    return result
