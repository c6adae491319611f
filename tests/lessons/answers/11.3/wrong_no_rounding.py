"""Nothing is rounded up to 256 bytes."""


def take(free, size):
    fitting = [block for block in free if block[1] >= size]
    if not fitting:
        return None, free
    start, whole = min(fitting, key=lambda block: block[1])
    left = [block for block in free if block[0] != start]
    if whole > size:
        left.append((start + size, whole - size))
    return start, sorted(left)


def give_back(free, start, size):
    merged = []
    for begin, length in sorted([*free, (start, size)]):
        if merged and merged[-1][0] + merged[-1][1] == begin:
            merged[-1] = (merged[-1][0], merged[-1][1] + length)
        else:
            merged.append((begin, length))
    return merged
