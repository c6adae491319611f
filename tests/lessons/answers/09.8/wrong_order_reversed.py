import numpy as np


def send_in_pieces(comm, array, to, most):
    each = most // array.itemsize
    comm.send((len(array), array.dtype, each), dest=to)
    for start in range(0, len(array), each)[::-1]:
        comm.Send(array[start : start + each], dest=to)


def receive_in_pieces(comm, source):
    n, dtype, each = comm.recv(source=source)
    found = []
    for _start in range(0, n, each):
        found.append(np.empty(each, dtype))
        comm.Recv(found[-1], source=source)
    return np.concatenate(found)[:n] if found else np.empty(0, dtype)
