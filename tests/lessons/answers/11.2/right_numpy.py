"""Changes as an array, and their running sum."""

import numpy as np


def statistics(events):
    if not events:
        return {f"{a}_{b}": 0 for a in ("current", "peak", "total") for b in ("bytes", "count")}
    size, changes = {}, []
    for action, name, *rest in events:
        if action == "allocate":
            size[name] = rest[0]
        changes.append((size[name], 1) if action == "allocate" else (-size[name], -1))
    changes = np.array(changes, dtype=np.int64)
    level = changes.cumsum(axis=0)
    total = changes.clip(min=0).sum(axis=0)
    made = (np.array([action == "allocate" for action, *_ in events])).sum()
    return {
        "current_bytes": level[-1, 0],
        "current_count": level[-1, 1],
        "peak_bytes": level[:, 0].max(),
        "peak_count": level[:, 1].max(),
        "total_bytes": total[0],
        "total_count": made,
    }
