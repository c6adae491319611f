"""Wrong: full pieces only; the rest at the end is never sent (and stays zero)."""

import numpy as np


def send_in_pieces(comm, array, to, most):
    step = most // array.itemsize
    comm.send((array.dtype, len(array), step), dest=to)
    for number in range(len(array) // step):
        comm.Send(array[number * step : (number + 1) * step], to)


def receive_in_pieces(comm, source):
    dtype, n, step = comm.recv(source=source)
    row = np.zeros(n, dtype)
    for number in range(n // step):
        comm.Recv(row[number * step : (number + 1) * step], source)
    return row
