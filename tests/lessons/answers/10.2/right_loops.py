"""A loop over the layers."""


def n_parameters(sizes):
    total = 0
    for layer in range(1, len(sizes)):
        total += sizes[layer - 1] * sizes[layer]
        total += sizes[layer]
    return total


def training_bytes(sizes, rows, copies=4, itemsize=4):
    numbers = copies * n_parameters(sizes)
    for units in sizes:
        numbers += rows * units
    return numbers * itemsize
