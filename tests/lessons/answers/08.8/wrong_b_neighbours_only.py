"""Wrong: drops a label only where it follows itself, so a label can come more than once."""

import itertools

import numpy as np


def distinct(block):
    return [label for label, _ in itertools.groupby(block)]


def encode(block, categories):
    code_of = {label: code for code, label in enumerate(np.asarray(categories).tolist())}
    return np.array([code_of.get(label, -1) for label in np.asarray(block).tolist()], dtype=np.int64)
