import numpy as np


def send_in_pieces(comm, array, to, most):
    memory = array.view(np.uint8)
    comm.send((array.dtype.str, len(memory), most), dest=to)
    start = 0
    while start < len(memory):
        comm.Send(memory[start : start + most], dest=to)
        start += most


def receive_in_pieces(comm, source):
    dtype, n, most = comm.recv(source=source)
    memory, start = np.zeros(n, dtype=np.uint8), 0
    while start < n:
        comm.Recv(memory[start : start + most], source=source)
        start += most
    return memory.view(dtype)
