"""Style: the clock is read around each round trip, the list of times is averaged."""

import numpy as np


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    message = np.zeros(n_bytes, "u1")
    if comm.rank == 1:
        for _ in range(warm_up + repeats):
            comm.Recv(message, source=0)
            comm.Send(message, dest=0)
        return 0.0
    taken = []
    for _ in range(warm_up):
        comm.Send(message, dest=1)
        comm.Recv(message, source=1)
    for _ in range(repeats):
        t = clock()
        comm.Send(message, dest=1)
        comm.Recv(message, source=1)
        taken.append(clock() - t)
    return sum(taken) / len(taken) / 2
