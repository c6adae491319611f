"""Style: as short as possible; the corner of the roofline is calculated first."""


def matmul_cost(m, n, k, itemsize):
    return m * n * (k + k), itemsize * (m * (k + n) + k * n)


def place(kernels, peak, bandwidth):
    corner = peak / bandwidth
    return {
        name: (i := f / b, min(peak, i * bandwidth), ("memory", "compute")[i >= corner])
        for name, (f, b) in kernels.items()
    }
