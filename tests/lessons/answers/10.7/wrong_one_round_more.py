"""Wrong: n rounds of sharing instead of n - 1; the result is right, one message too many."""

import numpy as np


def ring_allreduce(comm, values):
    n, rank = comm.size, comm.rank
    parts = [part.copy() for part in np.array_split(values, n)]
    for turn in range(n - 1):
        got = comm.sendrecv(parts[(rank - turn) % n], dest=(rank + 1) % n, source=(rank - 1) % n)
        parts[(rank - turn - 1) % n] = parts[(rank - turn - 1) % n] + got
    for turn in range(n):
        parts[(rank - turn) % n] = comm.sendrecv(
            parts[(rank + 1 - turn) % n], dest=(rank + 1) % n, source=(rank - 1) % n
        )
    return np.concatenate(parts)
