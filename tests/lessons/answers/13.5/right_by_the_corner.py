"""Compare with the corner."""


def matmul_cost(m, n, k, itemsize):
    numbers = m * k + k * n + m * n
    return m * n * (k + k), numbers * itemsize


def place(kernels, peak, bandwidth):
    corner = peak / bandwidth
    result = {}
    for name in kernels:
        intensity = kernels[name][0] / kernels[name][1]
        if intensity < corner:
            result[name] = [intensity, intensity * bandwidth, "memory"]
        else:
            result[name] = [intensity, peak, "compute"]
    return result
