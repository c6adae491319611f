"""Counts one more crossing when the result ends on the device, to bring it back."""


def crossings(steps, start):
    count = total = 0
    where = start
    for _, place, n in steps:
        if place not in ("any", where):
            count += 1
            total += n
            where = place
    if where != start:
        count += 1
        total += steps[-1][2]
    return count, total
