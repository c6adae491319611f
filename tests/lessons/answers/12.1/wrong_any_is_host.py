"""Treats "any" as a place of its own, so that a step with "any" crosses twice."""


def crossings(steps, start):
    count = total = 0
    where = start
    for _, place, n in steps:
        if place != where:
            count += 1
            total += n
        where = place
    return count, total
