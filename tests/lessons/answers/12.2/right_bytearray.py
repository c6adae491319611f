"""Style: bytearray as buffer, warm-up and measurement in one loop, keyword-free calls."""


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    buffer = bytearray(n_bytes)
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
