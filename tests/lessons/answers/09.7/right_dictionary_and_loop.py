import numpy as np


def send_array(comm, array, to):
    flat = np.array(array, order="C", copy=True).reshape(-1)
    comm.send({"shape": list(array.shape), "dtype": array.dtype}, dest=to, tag=1)
    comm.Send([flat, flat.size] if flat.dtype == float else flat, dest=to, tag=2)


def receive_array(comm, source):
    told = comm.recv(source=source, tag=1)
    flat = np.zeros(int(np.prod(told["shape"])), told["dtype"])
    comm.Recv(flat, source=source, tag=2)
    return flat.reshape(told["shape"])
