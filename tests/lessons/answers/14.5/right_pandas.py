"""NumPy: between any two moments somebody computes, or nobody."""

import numpy as np


def node_hours(jobs, cores_on_node, gpus_on_node):
    totals = np.zeros(2)
    for job in jobs:
        start, end = job["start"], job["end"]
        rate = job["nodes"] * max(job["cores"] / cores_on_node, job["gpus"] / (gpus_on_node or np.inf))
        busy = np.array(job["busy"], dtype=float).reshape(-1, 2).clip(start, end)
        moments = np.unique([start, end, *busy.ravel()])
        middles, lengths = (moments[1:] + moments[:-1]) / 2, np.diff(moments)
        works = ((busy[:, :1] < middles) & (middles < busy[:, 1:])).any(axis=0)
        totals += rate * lengths.sum(), rate * lengths[~works].sum()
    return tuple(totals)
