"""At the corner itself it says "memory" (> instead of >=)."""


def matmul_cost(m, n, k, itemsize):
    return 2 * m * n * k, itemsize * (m * k + k * n + m * n)


def place(kernels, peak, bandwidth):
    result = {}
    for name, (flops, n_bytes) in kernels.items():
        i = flops / n_bytes
        result[name] = (i, min(peak, i * bandwidth), "compute" if i * bandwidth > peak else "memory")
    return result
