import numpy as np


def crossings(steps, start):
    fixed = [(place, size) for _, place, size in steps if place != "any"]
    places = np.array([start] + [place for place, _ in fixed])
    sizes = np.array([size for _, size in fixed], dtype=np.int64)
    moves = places[1:] != places[:-1]
    return np.int64(moves.sum()), np.int64(sizes[moves].sum())
