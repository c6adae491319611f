import asyncio


async def send_and_yield(comm, array, to):
    request = comm.Isend(array, dest=to)
    while not request.Test():
        pass


async def receive_and_yield(comm, array, source):
    request = comm.Irecv(array, source=source)
    while not request.Test():
        await asyncio.sleep(0)
