"""Wrong: adds in place to views of the array that it was given."""

import numpy as np


def ring_allreduce(comm, values):
    n, rank = comm.size, comm.rank
    parts = np.array_split(values, n)
    for turn in range(n - 1):
        got = comm.sendrecv(parts[(rank - turn) % n].copy(), dest=(rank + 1) % n, source=(rank - 1) % n)
        parts[(rank - turn - 1) % n] += got
    for turn in range(n - 1):
        got = comm.sendrecv(parts[(rank + 1 - turn) % n].copy(), dest=(rank + 1) % n, source=(rank - 1) % n)
        parts[(rank - turn) % n][:] = got
    return np.concatenate(parts)
