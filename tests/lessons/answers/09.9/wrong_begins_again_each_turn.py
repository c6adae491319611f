import asyncio


async def send_and_yield(comm, array, to):
    while not comm.Isend(array, dest=to).Test():
        await asyncio.sleep(0)


async def receive_and_yield(comm, array, source):
    request = comm.Irecv(array, source=source)
    while not request.Test():
        await asyncio.sleep(0)
