"""Right: the ring turns the other way, to the rank before; a dictionary of parts, one loop for both phases."""

import numpy as np


def ring_allreduce(comm, values):
    n = comm.size
    mine = dict(enumerate(np.array_split(values, n)))
    place = comm.rank
    for turn in range(2 * (n - 1)):
        got = comm.sendrecv(mine[place], dest=(comm.rank - 1) % n, source=(comm.rank + 1) % n)
        place = (place + 1) % n
        mine[place] = mine[place] + got if turn < n - 1 else got
    return np.hstack([mine[k] for k in range(n)])
