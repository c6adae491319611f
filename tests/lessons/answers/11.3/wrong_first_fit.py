"""The first block that is large enough, not the smallest."""


def take(free, size):
    size = -(-size // 256) * 256
    fitting = [block for block in free if block[1] >= size]
    if not fitting:
        return None, free
    start, whole = fitting[0]
    left = [block for block in free if block[0] != start]
    if whole > size:
        left.append((start + size, whole - size))
    return start, sorted(left)


def give_back(free, start, size):
    size = -(-size // 256) * 256
    merged = []
    for begin, length in sorted([*free, (start, size)]):
        if merged and merged[-1][0] + merged[-1][1] == begin:
            merged[-1] = (merged[-1][0], merged[-1][1] + length)
        else:
            merged.append((begin, length))
    return merged
