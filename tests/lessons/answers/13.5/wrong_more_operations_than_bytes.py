"""Labels by flops > bytes (an intensity of 1), not by the corner of this machine."""


def matmul_cost(m, n, k, itemsize):
    return 2 * m * n * k, itemsize * (m * k + k * n + m * n)


def place(kernels, peak, bandwidth):
    return {
        name: (f / b, min(peak, f / b * bandwidth), "compute" if f >= b else "memory")
        for name, (f, b) in kernels.items()
    }
