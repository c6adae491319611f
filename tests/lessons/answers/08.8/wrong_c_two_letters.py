"""Wrong: keeps the first two letters of each word."""

import numpy as np


def distinct(block):
    return sorted({label[:2] if isinstance(label, str) else label for label in block.tolist()})


def encode(block, categories):
    places = {label: place for place, label in enumerate(categories.tolist())}
    return np.array([places.get(label, -1) for label in block.tolist()])
