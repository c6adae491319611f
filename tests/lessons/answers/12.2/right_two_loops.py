import numpy as np


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    out, back = np.ones(n_bytes, np.uint8), np.empty(n_bytes, np.uint8)

    def round_trip():
        if comm.rank == 0:
            comm.Send(out, 1)
            comm.Recv(back, 1)
        else:
            comm.Recv(back, 0)
            comm.Send(back, 0)

    for _ in range(warm_up):
        round_trip()
    start = clock()
    for _ in range(repeats):
        round_trip()
    if comm.rank == 0:
        return (clock() - start) / (2 * repeats)
    return None
