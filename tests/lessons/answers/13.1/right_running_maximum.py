"""NumPy: sort by start, and the running maximum of the ends."""

import numpy as np


def compute_parts(records):
    return np.array(
        sorted((p["start"], p["stop"]) for r in records for p in r["startstops"] if p["action"] == "compute")
    )


def idle_share(records, threads):
    spans = compute_parts(records)
    return float(1 - (spans[:, 1] - spans[:, 0]).sum() / (threads * (spans[:, 1].max() - spans[0, 0])))


def longest_gap(records):
    spans = compute_parts(records)
    latest = np.maximum.accumulate(spans[:, 1])
    gaps = spans[1:, 0] - latest[:-1]
    if len(gaps) == 0 or gaps.max() <= 0:
        return 0.0, 0.0
    place = gaps.argmax()
    return latest[place] - spans[0, 0], gaps[place]
