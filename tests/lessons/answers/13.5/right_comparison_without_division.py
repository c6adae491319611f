"""Style: place without division where it decides: flops * bandwidth against peak * n_bytes; plain loop."""


def matmul_cost(m, n, k, itemsize):
    flops = 0
    for _ in range(2):
        flops += m * n * k
    n_bytes = sum(rows * columns * itemsize for rows, columns in ((m, k), (k, n), (m, n)))
    return flops, n_bytes


def place(kernels, peak, bandwidth):
    result = {}
    for name in kernels:
        flops, n_bytes = kernels[name]
        if flops * bandwidth >= peak * n_bytes:
            result[name] = (flops / n_bytes, peak, "compute")
        else:
            result[name] = (flops / n_bytes, flops / n_bytes * bandwidth, "memory")
    return result
