"""Right: a dictionary of codes, with -1 for a label that is not in the list."""

import numpy as np


def distinct(block):
    return sorted(set(np.asarray(block).tolist()))


def encode(block, categories):
    code_of = {label: code for code, label in enumerate(np.asarray(categories).tolist())}
    return np.array([code_of.get(label, -1) for label in np.asarray(block).tolist()], dtype=np.int64)
