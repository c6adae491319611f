"""Loops, indices and a copy of the list."""


def take(free, size):
    size = (size + 255) // 256 * 256
    best = None
    for place, (_, length) in enumerate(free):
        if length >= size and (best is None or length < free[best][1]):
            best = place
    if best is None:
        return None, list(free)
    left = list(free)
    start, length = left.pop(best)
    if length > size:
        left.insert(best, (start + size, length - size))
    return start, left


def give_back(free, start, size):
    end = start + (size + 255) // 256 * 256
    left = []
    for begin, length in free:
        if begin + length == start:
            start = begin
        elif begin == end:
            end = begin + length
        else:
            left.append((begin, length))
    left.append((start, end - start))
    return sorted(left)
