"""A matrix of booleans, squared until it stays the same."""

import numpy as np


def holders(refers, variables, target):
    names = sorted({*refers, *variables, target, *(other for others in refers.values() for other in others)})
    place = {name: number for number, name in enumerate(names)}
    reach = np.eye(len(names), dtype=bool)
    for name, others in refers.items():
        for other in others:
            reach[place[name], place[other]] = True
    for _ in range(len(names).bit_length() + 1):
        reach = (reach.astype(int) @ reach.astype(int)) > 0
    return frozenset(name for name in variables if reach[place[name], place[target]])
