"""Adds Counters with +, which drops sums that are zero or negative."""

from collections import Counter


def partial(rows):
    sums, counts = Counter(), Counter()
    for key, number in rows:
        if number is not None:
            sums[key] += number
            counts[key] += 1
    return sums, counts


def combine(a, b):
    return a[0] + b[0], a[1] + b[1]


def finish(total):
    sums, counts = total
    return {key: sums[key] / n for key, n in counts.items()}
