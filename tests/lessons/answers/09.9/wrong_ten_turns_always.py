import asyncio


async def send_and_yield(comm, array, to):
    request = comm.Isend(array, dest=to)
    request.Test()
    for _ in range(10):
        await asyncio.sleep(0)


async def receive_and_yield(comm, array, source):
    request = comm.Irecv(array, source=source)
    request.Test()
    for _ in range(10):
        await asyncio.sleep(0)
