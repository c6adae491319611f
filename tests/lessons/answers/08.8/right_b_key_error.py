"""Right: a list comprehension that lets the KeyError of an unknown label out."""

import numpy as np


def distinct(block):
    seen = {}
    for label in block:
        seen.setdefault(label, len(seen))
    return list(seen)


def encode(block, categories):
    place = dict(zip(categories, range(len(categories))))
    return np.array([place[label] for label in block], dtype=int)
