"""Style: dictionaries by start and by end, rounding with bits, everything built anew."""


def take(free, size):
    size = (size + 255) & ~255
    fitting = {start: length for start, length in free if length >= size}
    if not fitting:
        return None, list(free)
    best = min(fitting, key=lambda start: (fitting[start], start))
    by_start = dict(free)
    length = by_start.pop(best)
    if length != size:
        by_start[best + size] = length - size
    return best, [(s, by_start[s]) for s in sorted(by_start)]


def give_back(free, start, size):
    size = (size + 255) & ~255
    by_start = dict(free)
    by_end = {s + n: s for s, n in free}
    if start + size in by_start:
        size += by_start.pop(start + size)
    if start in by_end:
        before = by_end[start]
        size += by_start.pop(before)
        start = before
    by_start[start] = size
    return sorted(by_start.items())
