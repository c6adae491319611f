import numpy as np


def send_array(comm, array, to):
    comm.Send(np.ascontiguousarray(array), dest=to)


def receive_array(comm, source):
    array = np.empty(2_000_000)
    comm.Recv(array, source=source)
    return array
