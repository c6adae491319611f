import numpy as np

# %% right each_timed
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

# %% right isend
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

# %% wrong both_send, edit of right each_timed
# fails: Rank 0 starts, and rank 1 answers each message
# fails: Rank 0 returns the seconds of one way, on average over the repeats
def ping_pong(comm, n_bytes, repeats, warm_up, clock):
    data = np.zeros(n_bytes, np.uint8)
    other = 1 - comm.rank
    began = clock()
    for _ in range(warm_up + repeats):
        comm.Send(data, other)
        comm.Recv(data, other)
    return (clock() - began) / repeats / 2

# %% wrong eight_times_the_bytes, edit of right isend
# fails: Each message has n_bytes bytes
# ~ n_bytes, dtype="int8" => n_bytes

# %% wrong no_warm_up, edit of right isend
# fails: There is one message each way for each repeat and each warm-up
# ~ range(-warm_up, repeats) => range(repeats)

# %% wrong pickled
# fails: Messages are buffers, not pickles
# ~ comm.Recv(memory, source=0) => comm.recv(source=0)
# ~ comm.Send(memory, dest=0) => comm.send(memory, dest=0)
# ~ comm.Send(memory, dest=1) => comm.send(memory, dest=1)
# ~ comm.Recv(memory, source=1) => comm.recv(source=1)

# %% wrong round_trip
# fails: Rank 0 returns the seconds of one way, on average over the repeats
# ~ taken[warm_up:])) / 2 => taken[warm_up:]))

# %% wrong streams_one_way
# fails: There is one message each way for each repeat and each warm-up
# -             comm.Send(memory, dest=0)
# +         comm.Send(memory, dest=0)
# -         comm.Recv(memory, source=1)
# -         taken.append(clock() - began)
# +         taken.append(clock() - began)
# +     comm.Recv(memory, source=1)
