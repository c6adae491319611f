"""Style: a class with a condition variable and a plain list; the thread loads as long as fewer than
depth are ahead of the caller.
"""

import threading


class _Ahead:
    def __init__(self, load, numbers, depth):
        self.load, self.numbers, self.limit = load, iter(numbers), depth
        self.done, self.taken, self.finished, self.closed = [], 0, False, False
        self.changed = threading.Condition()

    def run(self):
        try:
            self.work()
        except BaseException as error:  # from numbers itself
            with self.changed:
                self.done.append((None, error))
                self.changed.notify_all()

    def work(self):
        for started, number in enumerate(self.numbers):
            with self.changed:
                self.changed.wait_for(lambda started=started: self.closed or started < self.taken + self.limit)
                if self.closed:
                    return
            try:
                entry = (self.load(number), None)
            except Exception as error:
                entry = (None, error)
            with self.changed:
                self.done.append(entry)
                self.changed.notify_all()
            if entry[1] is not None:
                return
        with self.changed:
            self.finished = True
            self.changed.notify_all()


def prefetched(load, numbers, depth):
    ahead = _Ahead(load, numbers, depth)
    thread = threading.Thread(target=ahead.run, daemon=True)
    thread.start()
    try:
        while True:
            with ahead.changed:
                ahead.taken += 1
                ahead.changed.notify_all()
                ahead.changed.wait_for(lambda: ahead.done or ahead.finished)
                if not ahead.done:
                    return
                batch, error = ahead.done.pop(0)
            if error is not None:
                raise error
            yield batch
    finally:
        with ahead.changed:
            ahead.closed = True
            ahead.changed.notify_all()
