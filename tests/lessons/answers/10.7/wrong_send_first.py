"""Wrong: all send first and then receive, which stands still with large arrays."""

import numpy as np


def ring_allreduce(comm, values):
    n, rank = comm.size, comm.rank
    parts = [part.copy() for part in np.array_split(values, n)]
    for turn in range(n - 1):
        comm.send(parts[(rank - turn) % n], dest=(rank + 1) % n)
        parts[(rank - turn - 1) % n] = parts[(rank - turn - 1) % n] + comm.recv(source=(rank - 1) % n)
    for turn in range(n - 1):
        comm.send(parts[(rank + 1 - turn) % n], dest=(rank + 1) % n)
        parts[(rank - turn) % n] = comm.recv(source=(rank - 1) % n)
    return np.concatenate(parts)
