"""Only the block before is merged."""


def take(free, size):
    size = -(-size // 256) * 256
    fitting = [block for block in free if block[1] >= size]
    if not fitting:
        return None, free
    start, whole = min(fitting, key=lambda block: block[1])
    left = [block for block in free if block[0] != start]
    if whole > size:
        left.append((start + size, whole - size))
    return start, sorted(left)


def give_back(free, start, size):
    size = -(-size // 256) * 256
    for begin, length in free:
        if begin + length == start:
            return sorted([block for block in free if block[0] != begin] + [(begin, length + size)])
    return sorted([*free, (start, size)])
