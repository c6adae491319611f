"""Returns the bytes in MB instead of bytes."""


def crossings(steps, start):
    count = total = 0
    where = start
    for _, place, n in steps:
        if place not in ("any", where):
            count += 1
            total += n
            where = place
    return count, total / 10**6
