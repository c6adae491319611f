"""Wrong: a word that is not in the list gets code 0, which is the code of another word."""

import numpy as np


def distinct(block):
    return np.unique(block)


def encode(block, categories):
    code_of = {label: code for code, label in enumerate(np.asarray(categories).tolist())}
    return np.array([code_of.get(label, 0) for label in np.asarray(block).tolist()], dtype=int)
