import numpy as np


def send_array(comm, array, to):
    comm.send(array.shape, to)
    comm.send(str(array.dtype), to)
    comm.Send(np.frombuffer(array.tobytes(), dtype=np.uint8), to)


def receive_array(comm, source):
    shape, dtype = comm.recv(source=source), comm.recv(source=source)
    memory = bytearray(int(np.prod(shape)) * np.dtype(dtype).itemsize)
    comm.Recv(np.frombuffer(memory, dtype=np.uint8), source=source)
    return np.frombuffer(memory, dtype=dtype).reshape(shape)
