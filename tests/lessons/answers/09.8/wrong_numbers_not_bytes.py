"""Wrong: takes `most` for a count of numbers; the buffers are itemsize times too large."""

import numpy as np


def send_in_pieces(comm, array, to, most):
    comm.send((array.dtype, len(array), most), dest=to)
    for begin in range(0, len(array), most):
        comm.Send(array[begin : begin + most], to)


def receive_in_pieces(comm, source):
    dtype, n, most = comm.recv(source=source)
    row = np.empty(n, dtype)
    for begin in range(0, n, most):
        comm.Recv(row[begin : begin + most], source)
    return row
