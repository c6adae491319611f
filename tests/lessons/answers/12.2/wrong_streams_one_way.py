import numpy as np


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    data = np.zeros(n_bytes, np.uint8)
    for turn in range(warm_up + repeats):
        if turn == warm_up:
            began = clock()
        if comm.rank == 0:
            comm.Send(data, 1)
        else:
            comm.Recv(data, 0)
    if comm.rank == 0:
        comm.Recv(data, 1)
    else:
        comm.Send(data, 0)
    return (clock() - began) / repeats / 2
