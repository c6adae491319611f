import numpy as np


def send_in_pieces(comm, array, to, most):
    each = most // array.itemsize
    comm.send((len(array), float, each), dest=to)
    for start in range(0, len(array), each):
        comm.Send(array[start : start + each], dest=to)


def receive_in_pieces(comm, source):
    n, dtype, each = comm.recv(source=source)
    array = np.empty(n, dtype=dtype)
    for start in range(0, n, each):
        comm.Recv(array[start : start + each], source=source)
    return array
