def matmul_cost(m, n, k, itemsize):
    return 2 * m * n * k, 8 * itemsize * (m * k + k * n + m * n)


def place(kernels, peak, bandwidth):
    placed = {}
    for name, (flops, n_bytes) in kernels.items():
        intensity = flops / n_bytes
        label = "compute" if intensity * bandwidth >= peak else "memory"
        placed[name] = (intensity, min(peak, intensity * bandwidth), label)
    return placed
