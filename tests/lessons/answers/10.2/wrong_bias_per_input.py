"""Wrong: one bias for each input of a layer instead of each output."""


def n_parameters(sizes):
    return sum(a * (b + 1) for a, b in zip(sizes, sizes[1:], strict=False))


def training_bytes(sizes, rows, copies=4, itemsize=4):
    return itemsize * (copies * n_parameters(sizes) + rows * sum(sizes))
