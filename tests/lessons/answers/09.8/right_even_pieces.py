import numpy as np


def cut(array, most):
    n_pieces = max(1, -(-len(array) // (most // array.itemsize)))
    return np.array_split(array, n_pieces)


def send_in_pieces(comm, array, to, most):
    comm.send((np.empty(0, array.dtype), len(array), most), dest=to)
    for piece in cut(array, most):
        comm.Send(piece, dest=to)


def receive_in_pieces(comm, source):
    empty, n, most = comm.recv(source=source)
    array = np.empty(n, empty.dtype)
    for piece in cut(array, most):
        comm.Recv(piece, source=source)
    return array
