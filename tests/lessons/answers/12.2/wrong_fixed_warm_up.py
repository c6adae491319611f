"""Ignores warm_up: one message is always the warm-up."""


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    buffer = bytearray(n_bytes)
    began = clock()
    for i in range(1 + repeats):
        if i == 1:
            began = clock()
        if comm.rank == 0:
            comm.Send(buffer, 1)
            comm.Recv(buffer, 1)
        else:
            comm.Recv(buffer, 0)
            comm.Send(buffer, 0)
    return (clock() - began) / repeats / 2
