"""Puts all kernels of all calls into one dictionary."""

PLACED = {}


def matmul_cost(m, n, k, itemsize):
    return 2 * m * n * k, itemsize * (m * k + k * n + m * n)


def place(kernels, peak, bandwidth):
    for name, (flops, n_bytes) in kernels.items():
        slope = flops / n_bytes * bandwidth
        PLACED[name] = (flops / n_bytes, min(peak, slope), "compute" if slope >= peak else "memory")
    return PLACED
