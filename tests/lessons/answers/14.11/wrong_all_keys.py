"""Keys without a number are there."""


def partial(rows):
    found = {}
    for key, value in rows:
        total, count = found.get(key, (0, 0))
        found[key] = (total, count)
        if value is not None:
            found[key] = (total + value, count + 1)
    return found


def combine(a, b):
    both = dict(a)
    for key, (total, count) in b.items():
        known, seen = both.get(key, (0, 0))
        both[key] = (known + total, seen + count)
    return both


def finish(total):
    return {key: added / max(count, 1) for key, (added, count) in total.items()}
