"""Right: an asynchronous generator of turns, consumed by async for."""

import asyncio


async def turns(request):
    while not request.Test():
        yield
        await asyncio.sleep(0)


async def send_and_yield(comm, array, to):
    async for _ in turns(comm.Isend(array, dest=to)):
        pass


async def receive_and_yield(comm, array, source):
    async for _ in turns(comm.Irecv(array, source=source)):
        pass
