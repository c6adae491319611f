import numpy as np


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    data = np.zeros(n_bytes, dtype="int8")
    began = None
    for turn in range(-warm_up, repeats):
        if turn == 0:
            began = clock()
        if comm.rank:
            comm.Recv(data, source=0)
            comm.Send(data, dest=0)
        else:
            request = comm.Isend(data, dest=1)
            comm.Recv(data, source=1)
            request.Wait()
    return 0.5 * (clock() - began) / repeats
