# %% right by_the_corner: Compare with the corner.
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

# %% right by_times: Which of the two takes longer?
def matmul_cost(m, n, k, itemsize):
    a, b, c = m * k, k * n, m * n
    return float(2 * c * k), float((a + b + c) * itemsize)


def one(flops, n_bytes, peak, bandwidth):
    computing, moving = flops / peak, n_bytes / bandwidth
    return flops / n_bytes, flops / max(computing, moving), "memory" if moving > computing else "compute"


def place(kernels, peak, bandwidth):
    return {name: one(*cost, peak, bandwidth) for name, cost in kernels.items()}

# %% wrong always_four_bytes, edit of the solution: Ignores itemsize: always float32.
# fails: Each of the three matrices is moved once
# ~ return 2 * m * n * k, itemsize * (m * k + k * n + m * n) => return 2 * m * n * k, 4 * (m * k + k * n + m * n)

# %% wrong no_flat_roof, edit of the solution: attainable is always I x bandwidth, also above the peak.
# fails: The attainable rate is the lower of slope and roof
def place(kernels, peak, bandwidth):
    result = {}
    for name, (flops, n_bytes) in kernels.items():
        i = flops / n_bytes
        result[name] = (i, i * bandwidth, "compute" if i * bandwidth >= peak else "memory")
    return result

# %% wrong bound_words, edit of the solution
# fails: The label is right: memory below the corner, compute above
# ~ " if intensity * bandwidth >= peak else "memory => -bound" if intensity * bandwidth >= peak else "memory-bound

# %% wrong bytes_per_operation, edit of the solution
# fails: The intensity is operations per byte
# ~ flops / n_bytes => n_bytes / flops

# %% wrong gigabytes, edit of the solution
# fails: The intensity is operations per byte
# ~ flops / n_bytes => flops / (n_bytes / 1e9)
#

# %% wrong one_dictionary_for_all_calls, edit of the solution: Puts all kernels of all calls into one dictionary.
# fails: It returns a dictionary with each kernel, and no others
# ~ place(kernels, peak, bandwidth): => place(kernels, peak, bandwidth, placed={}):
# -     placed = {}

# %% wrong one_operation_per_product, edit of the solution
# fails: A product costs 2 k operations per number in the result
# ~ return 2 * m => return m
