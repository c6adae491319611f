"""Right: a while loop with whole numbers per piece; both sides count for themselves."""

import numpy as np


def send_in_pieces(comm, array, to, most):
    step = int(most) // array.itemsize
    comm.send({"type": array.dtype, "length": len(array), "step": step}, dest=to)
    begin = 0
    while begin < len(array):
        comm.Send(array[begin : begin + step], dest=to)
        begin += step


def receive_in_pieces(comm, source):
    about = comm.recv(source=source)
    row = np.empty(about["length"], about["type"])
    begin = 0
    while begin < len(row):
        comm.Recv(row[begin : begin + about["step"]], source=source)
        begin += about["step"]
    return row
