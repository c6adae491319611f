import numpy as np


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    memory = bytearray(n_bytes)
    if comm.Get_rank() == 1:
        for _ in range(warm_up + repeats):
            comm.Recv(memory, source=0)
            comm.Send(memory, dest=0)
        return None
    taken = []
    for _ in range(warm_up + repeats):
        began = clock()
        comm.Send(memory, dest=1)
        comm.Recv(memory, source=1)
        taken.append(clock() - began)
    return float(np.mean(taken[warm_up:])) / 2
