"""Right: a dictionary as header; a Fortran array is sent as it lies there and comes out in Fortran order."""

import numpy as np


def send_array(comm, array, to):
    order = "F" if array.flags["F_CONTIGUOUS"] and not array.flags["C_CONTIGUOUS"] else "C"
    about = {"shape": list(array.shape), "dtype": array.dtype, "order": order, "size": array.nbytes}
    comm.send(about, dest=to)
    flat = np.ascontiguousarray(array.ravel(order=order))
    comm.Send(flat.view(np.uint8), dest=to)


def receive_array(comm, source):
    about = comm.recv(source=source)
    memory = np.empty(about["size"], np.uint8)
    comm.Recv(memory, source=source)
    return memory.view(about["dtype"]).reshape(tuple(about["shape"]), order=about["order"])
