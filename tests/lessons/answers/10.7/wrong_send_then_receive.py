"""All send first: a deadlock with large arrays."""

import numpy as np


def ring_allreduce(comm, values):
    n, me = comm.size, comm.rank
    right, left = (me + 1) % n, (me - 1) % n
    parts = [part.copy() for part in np.array_split(values, n)]
    for turn in range(n - 1):
        gone, come = (me - turn) % n, (me - turn - 1) % n
        comm.send(parts[gone], dest=right)
        parts[come] = parts[come] + comm.recv(source=left)
    for turn in range(n - 1):
        gone, come = (me + 1 - turn) % n, (me - turn) % n
        parts[come] = comm.sendrecv(parts[gone], dest=right, source=left)
    return np.concatenate(parts)
