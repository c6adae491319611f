"""Wrong: `if` in place of `while`: asks once, steps aside once, and returns before it is done."""

import asyncio


async def send_and_yield(comm, array, to):
    request = comm.Isend(array, dest=to)
    if not request.Test():
        await asyncio.sleep(0)


async def receive_and_yield(comm, array, source):
    request = comm.Irecv(array, source=source)
    if not request.Test():
        await asyncio.sleep(0)
