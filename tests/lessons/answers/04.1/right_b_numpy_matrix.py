"""Right: reachability with a Boolean NumPy matrix."""

import numpy as np


def rerun(graph, memory, wanted, lost):
    keys = list(graph)
    place = {key: number for number, key in enumerate(keys)}
    gone = np.array([not (set(memory.get(key, set())) - {lost}) for key in keys], dtype=bool)
    needs = np.zeros((len(keys), len(keys)), dtype=bool)
    for key, inputs in graph.items():
        for one in inputs:
            needs[place[key], place[one]] = True
    now = np.array([key in wanted for key in keys], dtype=bool) & gone
    for _ in keys:
        now = now | (needs[now].any(axis=0) & gone)
    return {key for key, flag in zip(keys, now) if flag}
