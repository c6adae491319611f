"""Which of the two takes longer?"""


def matmul_cost(m, n, k, itemsize):
    a, b, c = m * k, k * n, m * n
    return float(2 * c * k), float((a + b + c) * itemsize)


def one(flops, n_bytes, peak, bandwidth):
    computing, moving = flops / peak, n_bytes / bandwidth
    return flops / n_bytes, flops / max(computing, moving), "memory" if moving > computing else "compute"


def place(kernels, peak, bandwidth):
    return {name: one(*cost, peak, bandwidth) for name, cost in kernels.items()}
