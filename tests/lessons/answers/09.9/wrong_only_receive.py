"""Wrong: half of the task: sending blocks (comm.Send), only receiving steps aside."""

import asyncio


async def send_and_yield(comm, array, to):
    comm.Send(array, to)


async def receive_and_yield(comm, array, source):
    request = comm.Irecv(array, source=source)
    while not request.Test():
        await asyncio.sleep(0)
