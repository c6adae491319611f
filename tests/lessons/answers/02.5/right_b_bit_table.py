"""Dynamic programming over all subsets, written as bits in a NumPy table."""

import numpy as np


def count_orders(graph):
    number = {task: i for i, task in enumerate(graph)}
    needs = [sum({1 << number[need] for need in graph[task]}) for task in graph]
    ways = np.zeros(1 << len(graph), dtype=np.int64)
    ways[0] = 1
    for done in range(len(ways)):
        for i, need in enumerate(needs):
            if not done >> i & 1 and need & done == need:
                ways[done | 1 << i] += ways[done]
    return int(ways[-1])
