"""Style: a NumPy table of three columns; NumPy integers in the pairs."""

import numpy as np


def tiers(workers):
    table = np.array(
        [
            (
                w["metrics"]["managed_bytes"],
                w["metrics"]["spilled_bytes"]["memory"],
                w["metrics"]["spilled_bytes"]["disk"],
            )
            for w in workers.values()
        ],
        dtype=np.int64,
    ).reshape(-1, 3)
    return {address: (row[0] - row[1], row[2]) for address, row in zip(workers, table, strict=False)}
