"""Wrong: sends the parts as float32 to save bytes, and loses digits."""

import numpy as np


def ring_allreduce(comm, values):
    n, rank = comm.size, comm.rank
    parts = [part.astype(np.float32) for part in np.array_split(values, n)]
    for turn in range(n - 1):
        got = comm.sendrecv(parts[(rank - turn) % n], dest=(rank + 1) % n, source=(rank - 1) % n)
        parts[(rank - turn - 1) % n] = parts[(rank - turn - 1) % n] + got
    for turn in range(n - 1):
        parts[(rank - turn) % n] = comm.sendrecv(
            parts[(rank + 1 - turn) % n], dest=(rank + 1) % n, source=(rank - 1) % n
        )
    return np.concatenate(parts).astype(np.asarray(values).dtype)
