# %% right bounded_queue: A thread, a queue without a limit, and a semaphore that counts what is ahead.
import threading
from queue import Queue


def prefetched(load, numbers, depth):
    ready, room, ended = Queue(), threading.Semaphore(depth + 1), object()

    def fill():
        try:
            for number in numbers:
                room.acquire()
                ready.put((load(number), None))
        except Exception as error:
            ready.put((None, error))
        ready.put((ended, None))

    threading.Thread(target=fill, daemon=True).start()
    first = True
    while True:
        if not first:
            room.release()
        first = False
        batch, error = ready.get()
        if error is not None:
            raise error
        if batch is ended:
            return
        yield batch

# %% right islice: Fill up first, then one out and one in.
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from itertools import islice


def prefetched(load, numbers, depth):
    numbers = iter(numbers)
    with ThreadPoolExecutor(max_workers=depth) as pool:
        ahead = deque(pool.submit(load, number) for number in islice(numbers, depth))
        while ahead:
            batch = ahead.popleft().result()
            for number in islice(numbers, 1):
                ahead.append(pool.submit(load, number))
            yield batch

# %% wrong all_at_once, edit of the solution
# fails: At most depth batches are loaded ahead, including those in a queue or a thread
def prefetched(load, numbers, depth):
    with ThreadPoolExecutor(depth) as pool:
        yield from pool.map(load, numbers)

# %% wrong as_completed, edit of right islice
# fails: It yields the batches in order of their numbers
# ~ import ThreadPoolExecutor => import FIRST_COMPLETED, ThreadPoolExecutor, wait
# -             batch = ahead.popleft().result()
# +             one = sorted(wait(ahead, return_when=FIRST_COMPLETED)[0], key=id)[-1]
# +             ahead.remove(one)
# +             batch = one.result()

# %% wrong begins_after_asking, edit of the solution: A thread, but the caller waits for it: nothing runs while a batch is held.
# fails: While the caller holds a batch, the next depth batches are loaded
def prefetched(load, numbers, depth):
    with ThreadPoolExecutor(1) as pool:
        for number in numbers:
            yield pool.submit(load, number).result()

# %% wrong error_ends_it, edit of the solution
# fails: An error in load reaches the caller
# -                 yield pending.popleft().result()
# +                 try:
# +                     yield pending.popleft().result()
# +                 except Exception:
# +                     return

# %% wrong error_too_early, edit of the solution
# fails: It is raised when that batch is due: the batches before it are yielded
# -     """Yield load(number) for each number; load up to depth batches ahead meanwhile."""
# +     numbers = iter(numbers)
# -             if len(pending) > depth:
# +             if len(pending) > depth:
# +                 for future in pending:
# +                     future.result()  # all of them, including those that are not due

# %% wrong fails_on_empty, edit of the solution
# fails: Without numbers it yields nothing, and terminates: RuntimeError
# ~ pending = deque() => pending = deque([pool.submit(load, next(numbers))])
# -     """Yield load(number) for each number; load up to depth batches ahead meanwhile."""
# +     numbers = iter(numbers)

# %% wrong loads_twice, edit of the solution
# fails: Each batch is loaded once
def prefetched(load, numbers, depth):
    numbers = list(numbers)
    with ThreadPoolExecutor(1) as pool:
        for place, number in enumerate(numbers):
            for later in numbers[place + 1 : place + 1 + depth]:
                pool.submit(load, later)  # warms up, and throws away
            yield load(number)

# %% wrong needs_a_list, edit of right islice
# fails: It yields the batches in order of their numbers: TypeError
# ~ iter(numbers) => iter(numbers[:])
