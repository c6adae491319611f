"""The parts are views: the array that was given changes."""

import numpy as np


def ring_allreduce(comm, values):
    n, me = comm.size, comm.rank
    parts = np.array_split(values, n)
    for turn in range(n - 1):
        parts[(me - turn - 1) % n] += comm.sendrecv(parts[(me - turn) % n], dest=(me + 1) % n, source=(me - 1) % n)
    for turn in range(n - 1):
        parts[(me - turn) % n][:] = comm.sendrecv(parts[(me + 1 - turn) % n], dest=(me + 1) % n, source=(me - 1) % n)
    return values
