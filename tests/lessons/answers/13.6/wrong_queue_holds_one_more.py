import threading
from queue import Queue


def prefetched(load, numbers, depth):
    ready, ended = Queue(depth), object()

    def fill():
        try:
            for number in numbers:
                ready.put((load(number), None))
            ready.put((ended, None))
        except Exception as error:
            ready.put((None, error))

    threading.Thread(target=fill, daemon=True).start()
    while True:
        batch, error = ready.get()
        if error:
            raise error
        if batch is ended:
            return
        yield batch
