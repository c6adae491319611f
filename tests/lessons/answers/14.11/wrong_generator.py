"""A contribution that cannot travel."""


def partial(rows):
    return ((key, value, 1) for key, value in rows if value is not None)


def combine(a, b):
    yield from a
    yield from b


def finish(total):
    sums = {}
    for key, value, one in total:
        known, count = sums.get(key, (0, 0))
        sums[key] = (known + value, count + one)
    return {key: known / count for key, (known, count) in sums.items()}
