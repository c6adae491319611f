def crossings(steps, start):
    at, count = start, 0
    for _, place, _ in steps:
        if place not in ("any", at):
            at, count = place, count + 1
    return count, sum(size for _, _, size in steps)
