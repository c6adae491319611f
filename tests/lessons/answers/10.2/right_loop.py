"""Right: index loops, layer by layer."""


def n_parameters(sizes):
    count = 0
    for place in range(1, len(sizes)):
        count = count + sizes[place - 1] * sizes[place]
        count = count + sizes[place]
    return count


def training_bytes(sizes, rows, copies=4, itemsize=4):
    total = 0
    for _ in range(copies):
        total += itemsize * n_parameters(sizes)
    for size in sizes:
        total += itemsize * rows * size
    return total
