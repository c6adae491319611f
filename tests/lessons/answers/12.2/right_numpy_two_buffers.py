"""Style: two buffers of NumPy, a nested function, tags, Get_rank(), None on rank 1."""

import numpy as np


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    out = np.ones(n_bytes, dtype=np.uint8)
    back = np.empty_like(out)
    rank = comm.Get_rank()

    def play(times):
        for _ in range(times):
            if rank == 0:
                comm.Send(out, dest=1, tag=7)
                comm.Recv(back, source=1, tag=7)
            else:
                comm.Recv(back, source=0, tag=7)
                comm.Send(back, dest=0, tag=7)

    play(warm_up)
    t0 = clock()
    play(repeats)
    t1 = clock()
    if rank == 0:
        return (t1 - t0) / (2 * repeats)
    return None
