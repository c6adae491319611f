def crossings(steps, start):
    at, count, total = start, 0, 0
    for _, place, size in steps:
        if place != at:
            at, count, total = place, count + 1, total + size
    return count, total
