"""Not measured counts as zero."""


def partial(rows):
    found = {}
    for key, value in rows:
        if True:
            value = value or 0
            total, count = found.get(key, (0, 0))
            found[key] = (total + value, count + 1)
    return found


def combine(a, b):
    both = dict(a)
    for key, (total, count) in b.items():
        known, seen = both.get(key, (0, 0))
        both[key] = (known + total, seen + count)
    return both


def finish(total):
    return {key: added / count for key, (added, count) in total.items()}
