"""Objects of a class."""


class Sums:
    def __init__(self, known=()):
        self.known = dict(known)

    def plus(self, key, total, count):
        before = self.known.get(key, (0, 0))
        return Sums({**self.known, key: (before[0] + total, before[1] + count)})


def partial(rows):
    sums = Sums()
    for key, value in rows:
        sums = sums if value is None else sums.plus(key, value, 1)
    return sums


def combine(a, b):
    for key, (total, count) in b.known.items():
        a = a.plus(key, total, count)
    return a


def finish(total):
    return {key: added / count for key, (added, count) in total.known.items()}
