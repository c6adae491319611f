"""Counts the bytes of the two matrices that are read only; the result moves, too."""


def matmul_cost(m, n, k, itemsize):
    return 2 * m * n * k, itemsize * (m * k + k * n)


def place(kernels, peak, bandwidth):
    result = {}
    for name, (flops, n_bytes) in kernels.items():
        i = flops / n_bytes
        result[name] = (i, min(peak, i * bandwidth), "compute" if i * bandwidth >= peak else "memory")
    return result
