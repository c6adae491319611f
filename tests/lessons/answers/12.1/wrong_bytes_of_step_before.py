"""Adds the bytes that the step before was given instead of those of the step that needs them elsewhere."""


def crossings(steps, start):
    count = total = 0
    where = start
    for i, (_, place, n) in enumerate(steps):
        if place != "any" and place != where:
            count += 1
            total += steps[i - 1][2] if i else n
            where = place
    return count, total
