"""Counts the shapes that the layers would have."""

from itertools import pairwise
from math import prod


def n_parameters(sizes):
    shapes = [shape for n_in, n_out in pairwise(sizes) for shape in ((n_in, n_out), (n_out,))]
    return sum(map(prod, shapes))


def training_bytes(sizes, rows, copies=4, itemsize=4):
    activations = sum(rows * size for size in sizes)
    return (activations + copies * n_parameters(sizes)) * itemsize
