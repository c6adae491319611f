"""Two counters."""

from collections import Counter


def partial(rows):
    sums, counts = Counter(), Counter()
    for key, value in rows:
        if value is not None:
            sums[key] += value
            counts[key] += 1
    return dict(sums), dict(counts)


def combine(a, b):
    return tuple({key: x.get(key, 0) + y.get(key, 0) for key in {*x, *y}} for x, y in zip(a, b, strict=True))


def finish(total):
    sums, counts = total
    return {key: sums[key] / counts[key] for key in counts}
