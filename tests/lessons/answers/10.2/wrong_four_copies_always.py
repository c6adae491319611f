"""The option is ignored."""


def n_parameters(sizes):
    return sum((n_in + 1) * n_out for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=False))


def training_bytes(sizes, rows, copies=4, itemsize=4):
    return itemsize * (4 * n_parameters(sizes) + rows * sum(sizes))
