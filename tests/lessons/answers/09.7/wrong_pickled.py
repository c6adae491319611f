def send_array(comm, array, to):
    comm.send(array, dest=to)


def receive_array(comm, source):
    return comm.recv(source=source)
