import asyncio


async def send_and_yield(comm, array, to):
    request = comm.Isend([array, array.size], to, 0) if array.dtype == float else comm.Isend(array, to)
    status = request.Test()
    while status is False:
        await asyncio.sleep(0)
        status = request.Test()


async def receive_and_yield(comm, array, source):
    request = comm.Irecv(array, source)
    while True:
        if request.Test():
            break
        await asyncio.sleep(0)
    return array
