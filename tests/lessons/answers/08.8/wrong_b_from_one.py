"""Wrong: codes begin with 1, but a code is the place in categories."""

import numpy as np


def distinct(block):
    return np.unique(block)


def encode(block, categories):
    code_of = {label: code for code, label in enumerate(np.asarray(categories).tolist(), start=1)}
    return np.array([code_of.get(label, -1) for label in np.asarray(block).tolist()])
