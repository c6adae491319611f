async def send_and_yield(comm, array, to):
    comm.Send(array, dest=to)


async def receive_and_yield(comm, array, source):
    comm.Recv(array, source=source)
