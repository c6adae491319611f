"""Returns the shortest one-way time instead of the average."""


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    buffer = bytearray(n_bytes)
    taken = []
    for i in range(warm_up + repeats):
        began = clock()
        if comm.rank == 0:
            comm.Send(buffer, 1)
            comm.Recv(buffer, 1)
        else:
            comm.Recv(buffer, 0)
            comm.Send(buffer, 0)
        if i >= warm_up:
            taken.append((clock() - began) / 2)
    return min(taken)
