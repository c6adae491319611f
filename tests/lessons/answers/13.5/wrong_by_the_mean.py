def matmul_cost(m, n, k, itemsize):
    return 2 * m * n * k, itemsize * (m * k + k * n + m * n)


def place(kernels, peak, bandwidth):
    placed = {}
    for name, (flops, n_bytes) in kernels.items():
        intensity = flops / n_bytes
        middle = sum(f / b for f, b in kernels.values()) / len(kernels)
        label = "compute" if intensity >= middle else "memory"
        placed[name] = (intensity, min(peak, intensity * bandwidth), label)
    return placed
