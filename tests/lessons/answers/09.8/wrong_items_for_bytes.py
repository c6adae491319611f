import numpy as np


def send_in_pieces(comm, array, to, most):
    comm.send((len(array), array.dtype, most), dest=to)
    for start in range(0, len(array), most):
        comm.Send(array[start : start + most], dest=to)


def receive_in_pieces(comm, source):
    n, dtype, each = comm.recv(source=source)
    array = np.empty(n, dtype=dtype)
    for start in range(0, n, each):
        comm.Recv(array[start : start + each], source=source)
    return array
