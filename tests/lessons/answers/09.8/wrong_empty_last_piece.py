"""Wrong: n // step + 1 pieces: an additional empty message where the row divides evenly."""

import numpy as np


def send_in_pieces(comm, array, to, most):
    step = most // array.itemsize
    comm.send((array.dtype, len(array), step), dest=to)
    for number in range(len(array) // step + 1):
        comm.Send(array[number * step : (number + 1) * step], to)


def receive_in_pieces(comm, source):
    dtype, n, step = comm.recv(source=source)
    row = np.empty(n, dtype)
    for number in range(n // step + 1):
        comm.Recv(row[number * step : (number + 1) * step], source)
    return row
