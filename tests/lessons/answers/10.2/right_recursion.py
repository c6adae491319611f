"""Right: recursion over the sizes."""


def n_parameters(sizes):
    if len(sizes) < 2:
        return 0
    return (sizes[0] + 1) * sizes[1] + n_parameters(sizes[1:])


def training_bytes(sizes, rows, copies=4, itemsize=4):
    def units(rest):
        return 0 if not len(rest) else rest[0] + units(rest[1:])

    return (copies * n_parameters(sizes) + rows * units(sizes)) * itemsize
