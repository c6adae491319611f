import numpy as np


def send_array(comm, array, to):
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    array = np.asarray(array, order=order)
    comm.send((array.shape, array.dtype.str, order), dest=to)
    comm.Send(array, dest=to)


def receive_array(comm, source):
    shape, dtype, order = comm.recv(source=source)
    array = np.empty(shape, dtype, order=order)
    comm.Recv(array, source=source)
    return array
