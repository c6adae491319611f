import asyncio


async def until_done(request):
    done, _ = request.test()
    while not done:
        await asyncio.sleep(0.0005)
        done, _ = request.test()


async def send_and_yield(comm, array, to):
    await until_done(comm.Isend(array, dest=to))


async def receive_and_yield(comm, array, source):
    await until_done(comm.Irecv(array, source=source))
