"""A thread, a queue without a limit, and a semaphore that counts what is ahead."""

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
