"""The contribution is all the numbers; it works, though it is large."""

from statistics import fmean


def partial(rows):
    return [row for row in rows if row[1] is not None]


def combine(a, b):
    return a + b


def finish(total):
    return {key: fmean(value for other, value in total if other == key) for key in {key for key, _ in total}}
