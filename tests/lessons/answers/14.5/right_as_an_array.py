"""Both numbers in one array."""

import numpy as np


def node_hours(jobs, cores_on_node, gpus_on_node):
    charged = idle = 0.0
    for job in jobs:
        share = job["cores"] / cores_on_node
        if gpus_on_node:
            share = max(share, job["gpus"] / gpus_on_node)
        share *= job["nodes"]
        waited, at = 0.0, job["start"]
        for begin, end in sorted(job["busy"]):
            waited += max(0.0, min(begin, job["end"]) - at)
            at = min(max(at, end), job["end"])
        waited += job["end"] - at
        charged += share * (job["end"] - job["start"])
        idle += share * waited
    return np.array([charged, idle])
