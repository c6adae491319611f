"""Wrong: whole arrays go round the ring n - 1 times; the sum is right, the messages are not parts."""

import numpy as np


def ring_allreduce(comm, values):
    n = comm.size
    total, moving = np.array(values), np.array(values)
    for _ in range(n - 1):
        moving = comm.sendrecv(moving, dest=(comm.rank + 1) % n, source=(comm.rank - 1) % n)
        total = total + moving
    return total
