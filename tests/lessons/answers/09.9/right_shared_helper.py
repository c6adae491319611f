"""Right: one helper coroutine for both, with `while True` and break."""

import asyncio


async def finished(request):
    while True:
        if request.Test():
            break
        await asyncio.sleep(0)


async def send_and_yield(comm, array, to):
    await finished(comm.Isend(array, to))


async def receive_and_yield(comm, array, source):
    await finished(comm.Irecv(array, source))
    return array
