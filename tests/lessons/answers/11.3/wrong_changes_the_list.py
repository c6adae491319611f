"""Takes the block out of the list that it is given."""


def take(free, size):
    size = -(-size // 256) * 256
    fitting = [block for block in free if block[1] >= size]
    if not fitting:
        return None, free
    start, whole = min(fitting, key=lambda block: block[1])
    free.remove((start, whole))
    if whole > size:
        free.append((start + size, whole - size))
    free.sort()
    return start, free


def give_back(free, start, size):
    size = -(-size // 256) * 256
    merged = []
    for begin, length in sorted([*free, (start, size)]):
        if merged and merged[-1][0] + merged[-1][1] == begin:
            merged[-1] = (merged[-1][0], merged[-1][1] + length)
        else:
            merged.append((begin, length))
    return merged
