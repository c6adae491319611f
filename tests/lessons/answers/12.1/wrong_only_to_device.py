"""Counts only the crossings from host to device."""


def crossings(steps, start):
    count = total = 0
    where = start
    for _, place, n in steps:
        if place == "any":
            continue
        if place != where and place == "device":
            count += 1
            total += n
        where = place
    return count, total
