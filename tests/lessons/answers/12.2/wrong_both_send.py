import numpy as np


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    data = np.zeros(n_bytes, np.uint8)
    other = 1 - comm.rank
    began = clock()
    for _ in range(warm_up + repeats):
        comm.Send(data, other)
        comm.Recv(data, other)
    return (clock() - began) / repeats / 2
