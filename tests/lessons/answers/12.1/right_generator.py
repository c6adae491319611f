"""Style: list of places by accumulate, then sums over pairs, tuple result."""

from itertools import accumulate


def crossings(steps, start):
    where = list(accumulate((s[1] for s in steps), lambda now, p: now if p == "any" else p, initial=start))
    moved = [s[2] for s, a, b in zip(steps, where, where[1:], strict=False) if a != b]
    return len(moved), sum(moved)
