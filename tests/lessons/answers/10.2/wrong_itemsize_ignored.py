"""Wrong: always four bytes per number."""


def n_parameters(sizes):
    return sum((a + 1) * b for a, b in zip(sizes, sizes[1:], strict=False))


def training_bytes(sizes, rows, copies=4, itemsize=4):
    return 4 * (copies * n_parameters(sizes) + rows * sum(sizes))
