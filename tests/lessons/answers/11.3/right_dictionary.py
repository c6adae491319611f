"""Free blocks as a dictionary from start to size, and lists as results."""


def rounded(size):
    return size + -size % 256


def take(free, size):
    size, sizes = rounded(size), dict(free)
    start = min((s for s in sizes if sizes[s] >= size), key=lambda s: (sizes[s], s), default=None)
    if start is None:
        return [None, [list(block) for block in free]]
    left = sizes.pop(start) - size
    if left:
        sizes[start + size] = left
    return [start, [[s, sizes[s]] for s in sorted(sizes)]]


def give_back(free, start, size):
    size, sizes = rounded(size), dict(free)
    before = next((s for s, n in sizes.items() if s + n == start), None)
    if before is not None:
        start, size = before, sizes.pop(before) + size
    size += sizes.pop(start + size, 0)
    sizes[start] = size
    return [[s, sizes[s]] for s in sorted(sizes)]
