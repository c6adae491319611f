"""Sends an object with lower-case send (pickled), not a buffer with Send."""


def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    message = bytes(n_bytes)
    began = clock()
    for i in range(warm_up + repeats):
        if i == warm_up:
            began = clock()
        if comm.rank == 0:
            comm.send(message, 1)
            message = comm.recv(source=1)
        else:
            message = comm.recv(source=0)
            comm.send(message, 0)
    return (clock() - began) / repeats / 2
