"""Wrong: parts of len // n numbers, so that the rest of an indivisible array is not added."""

import numpy as np


def ring_allreduce(comm, values):
    n, rank = comm.size, comm.rank
    each = len(values) // n
    result = np.array(values)
    parts = [result[k * each : (k + 1) * each].copy() for k in range(n)]
    for turn in range(n - 1):
        got = comm.sendrecv(parts[(rank - turn) % n], dest=(rank + 1) % n, source=(rank - 1) % n)
        parts[(rank - turn - 1) % n] = parts[(rank - turn - 1) % n] + got
    for turn in range(n - 1):
        parts[(rank - turn) % n] = comm.sendrecv(
            parts[(rank + 1 - turn) % n], dest=(rank + 1) % n, source=(rank - 1) % n
        )
    result[: each * n] = np.concatenate(parts)
    return result
