def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    data = bytes(n_bytes)
    for turn in range(warm_up + repeats):
        if turn == warm_up:
            began = clock()
        if comm.rank == 0:
            comm.send(data, 1)
            comm.recv(source=1)
        else:
            comm.recv(source=0)
            comm.send(data, 0)
    return (clock() - began) / repeats / 2
