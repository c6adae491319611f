"""A queue of depth places: when it is full, the thread has one more loaded that waits to be put in,
so depth + 1 are ahead.
"""

import queue
import threading


def prefetched(load, numbers, depth):
    full = queue.Queue(maxsize=depth)
    end = object()

    def work():
        for number in numbers:
            try:
                full.put((load(number), None))
            except Exception as error:
                full.put((None, error))
                return
        full.put((end, None))

    threading.Thread(target=work, daemon=True).start()
    while True:
        batch, error = full.get()
        if error is not None:
            raise error
        if batch is end:
            return
        yield batch
