"""The input has biases, the output none."""


def n_parameters(sizes):
    return sum(n_in * (n_out + 1) for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=False))


def training_bytes(sizes, rows, copies=4, itemsize=4):
    return itemsize * (copies * n_parameters(sizes) + rows * sum(sizes))
