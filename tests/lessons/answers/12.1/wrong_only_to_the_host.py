def crossings(steps, start):
    at, count, total = start, 0, 0
    for _, place, size in steps:
        if place == "any":
            continue
        if at == "device" and place == "host":
            count, total = count + 1, total + size
        at = place
    return count, total
