"""Objects of a class, changed in place."""


class Sums:
    def __init__(self):
        self.known = {}

    def add(self, key, total, count):
        before = self.known.get(key, (0, 0))
        self.known[key] = (before[0] + total, before[1] + count)


def partial(rows):
    sums = Sums()
    for key, value in rows:
        if value is not None:
            sums.add(key, value, 1)
    return sums


def combine(a, b):
    for key, (total, count) in b.known.items():
        a.add(key, total, count)
    return a


def finish(total):
    return {key: added / count for key, (added, count) in total.known.items()}
