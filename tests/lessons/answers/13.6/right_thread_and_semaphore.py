"""Style: a thread of its own, a queue, and a semaphore that hands out permissions to load."""

import queue
import threading


def prefetched(load, numbers, depth):
    allowed = threading.Semaphore(depth)
    ready = queue.Queue()
    closed = threading.Event()

    def work():
        try:
            for number in numbers:
                allowed.acquire()
                if closed.is_set():
                    return
                ready.put(("batch", load(number)))
            ready.put(("end", None))
        except BaseException as error:
            ready.put(("error", error))

    threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            allowed.release()
            kind, value = ready.get()
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value
    finally:
        closed.set()
        allowed.release()
