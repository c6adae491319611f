import asyncio

# %% right async_generator: An asynchronous generator of turns, consumed by async for.
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

# %% right bare_yield
class Turn:
    def __await__(self):
        yield


async def finished(request):
    while not request.Test():
        await Turn()


async def send_and_yield(comm, array, to):
    return await finished(comm.Isend(array, to))


async def receive_and_yield(comm, array, source):
    await finished(comm.Irecv(array, source))

# %% right shared_helper: One helper coroutine for both, with `while True` and break.
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

# %% wrong asks_once, edit of the solution
# fails: It calls Test until the request is done, then returns
async def send_and_yield(comm, array, to):
    request = comm.Isend(array, dest=to)
    if not request.Test():
        await asyncio.sleep(0)

# %% wrong waits, edit of right async_generator
# fails: receive_and_yield runs without an error: RuntimeError
async def receive_and_yield(comm, array, source):
    comm.Irecv(array, source=source).Wait()

# %% wrong begins_again_each_turn, edit of the solution
# fails: send_and_yield begins one Isend
async def send_and_yield(comm, array, to):
    while not comm.Isend(array, dest=to).Test():
        await asyncio.sleep(0)

# %% wrong blocking_calls, edit of the solution
# fails: send_and_yield runs without an error: RuntimeError
async def send_and_yield(comm, array, to):
    comm.Send(array, dest=to)
async def receive_and_yield(comm, array, source):
    comm.Recv(array, source=source)

# %% wrong into_a_copy
# fails: Irecv gets the array itself, and the other rank's number
# ~ comm.Irecv(array => comm.Irecv(array.copy()

# %% wrong no_coroutine, edit of the solution
# fails: send_and_yield is a coroutine function (async def)
def send_and_yield(comm, array, to):
    comm.Isend(array, dest=to).Wait()

# %% wrong rank_hard_coded
# fails: Isend gets the array itself, and the other rank's number
# ~ dest=to => dest=1

# %% wrong two_ranks: Ignores `to` and `source`: always the other one of two ranks.
# fails: Isend gets the array itself, and the other rank's number
# ~ dest=to => dest=1 - comm.rank if comm.rank < 2 else 0
# ~ source=source => source=1 - comm.rank if comm.rank < 2 else 0
