def crossings(steps, start):
    if len(steps) == 0:
        return (0, 0)
    (_, place, size), *rest = steps
    now = start if place == "any" else place
    count, total = crossings(rest, now)
    if now != start:
        count += 1
        total += size
    return count, total
