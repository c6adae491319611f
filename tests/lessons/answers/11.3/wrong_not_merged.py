"""Neighbours stay two blocks."""


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
    return sorted([*free, (start, -(-size // 256) * 256)])
