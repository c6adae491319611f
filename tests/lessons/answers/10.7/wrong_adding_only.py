"""Wrong: only the rounds of adding; each rank has one complete part."""

import numpy as np


def ring_allreduce(comm, values):
    n, rank = comm.size, comm.rank
    parts = [part.copy() for part in np.array_split(values, n)]
    for turn in range(n - 1):
        got = comm.sendrecv(parts[(rank - turn) % n], dest=(rank + 1) % n, source=(rank - 1) % n)
        parts[(rank - turn - 1) % n] = parts[(rank - turn - 1) % n] + got
    return np.concatenate(parts)
