"""Forgets start: begins where the first step runs."""


def crossings(steps, start):
    count = total = 0
    where = None
    for _, place, n in steps:
        if place == "any":
            continue
        if where is not None and place != where:
            count += 1
            total += n
        where = place
    return count, total
