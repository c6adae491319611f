"""Style: pandas columns, clip for the roof."""

import pandas as pd


def matmul_cost(m, n, k, itemsize):
    sizes = pd.Series({"left": m * k, "right": k * n, "result": m * n}, dtype="object")
    return 2 * m * n * k, (sizes * itemsize).sum()


def place(kernels, peak, bandwidth):
    if not kernels:
        return {}
    table = pd.DataFrame.from_dict(kernels, orient="index", columns=["flops", "bytes"]).astype(float)
    intensity = table["flops"] / table["bytes"]
    attainable = (intensity * bandwidth).clip(upper=peak)
    label = (intensity * bandwidth >= peak).map({True: "compute", False: "memory"})
    return dict(zip(table.index, zip(intensity, attainable, label, strict=False), strict=False))
