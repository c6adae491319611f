"""An object with __next__ instead of a generator function."""

from concurrent.futures import ThreadPoolExecutor


class Ahead:
    def __init__(self, load, numbers, depth):
        self.load, self.numbers, self.depth = load, iter(numbers), depth
        self.pool = ThreadPoolExecutor(1)
        self.waiting = []

    def __iter__(self):
        return self

    def __next__(self):
        while len(self.waiting) <= self.depth:
            try:
                number = next(self.numbers)
            except StopIteration:
                break
            self.waiting.append(self.pool.submit(self.load, number))
        if not self.waiting:
            self.pool.shutdown(wait=False)
            raise StopIteration
        return self.waiting.pop(0).result()


def prefetched(load, numbers, depth):
    return Ahead(load, numbers, depth)
