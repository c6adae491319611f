"""b takes the place of a."""


def partial(rows):
    found = {}
    for key, value in rows:
        if value is not None:
            total, count = found.get(key, (0, 0))
            found[key] = (total + value, count + 1)
    return found


def combine(a, b):
    both = dict(a)
    for key, (total, count) in b.items():
        known, seen = both.get(key, (0, 0))
        both[key] = (total, count)
    return both


def finish(total):
    return {key: added / count for key, (added, count) in total.items()}
