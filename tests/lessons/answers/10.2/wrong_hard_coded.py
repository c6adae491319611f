"""The network of the lesson."""


def n_parameters(sizes):
    return 2778


def training_bytes(sizes, rows, copies=4, itemsize=4):
    return itemsize * (copies * n_parameters(sizes) + rows * sum(sizes))
