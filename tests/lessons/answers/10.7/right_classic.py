"""Right: the classical ring, copies of the parts in a list."""

import numpy as np


def ring_allreduce(comm, values):
    n, rank = comm.size, comm.rank
    parts = [part.copy() for part in np.array_split(values, n)]
    right, left = (rank + 1) % n, (rank - 1) % n
    for turn in range(n - 1):
        got = comm.sendrecv(parts[(rank - turn) % n], dest=right, source=left)
        parts[(rank - turn - 1) % n] = parts[(rank - turn - 1) % n] + got
    for turn in range(n - 1):
        parts[(rank - turn) % n] = comm.sendrecv(parts[(rank + 1 - turn) % n], dest=right, source=left)
    return np.concatenate(parts)
