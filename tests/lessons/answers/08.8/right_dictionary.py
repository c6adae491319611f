"""A dictionary; an unknown label is an error."""

import numpy as np


def distinct(block):
    return list(dict.fromkeys(block.tolist()))


def encode(block, categories):
    number = {label: code for code, label in enumerate(categories.tolist())}
    return np.array([number[label] for label in block.tolist()])
