"""Wrong: request.Wait() blocks the event loop."""


async def send_and_yield(comm, array, to):
    request = comm.Isend(array, dest=to)
    request.Wait()


async def receive_and_yield(comm, array, source):
    request = comm.Irecv(array, source=source)
    request.Wait()
