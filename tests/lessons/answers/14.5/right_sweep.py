"""Style: events +1 and -1 swept with NumPy."""

import numpy as np


def node_hours(jobs, cores_on_node, gpus_on_node):
    result = np.zeros(2)
    for job in jobs:
        share = max(job["cores"] / cores_on_node, job["gpus"] / gpus_on_node if gpus_on_node else 0)
        length = job["end"] - job["start"]
        pairs = np.clip(np.array(list(job["busy"]), dtype=float).reshape(-1, 2), job["start"], job["end"])
        times = pairs.T.ravel()
        step = np.repeat([1, -1], len(pairs))
        order = np.argsort(times, kind="stable")
        running = np.cumsum(step[order])
        worked = (np.diff(times[order]) * (running[:-1] > 0)).sum() if len(pairs) else 0.0
        result += job["nodes"] * share * np.array([length, length - worked])
    return float(result[0]), float(result[1])
