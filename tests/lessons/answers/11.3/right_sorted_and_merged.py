"""Style: sort by (size, start) to choose; sort everything and merge in one pass to give back; returns
the very list that it got if nothing fits.
"""


def take(free, size):
    size = -(-size // 256) * 256
    for length, start in sorted((length, start) for start, length in free):
        if length >= size:
            rest = [block for block in free if block[0] != start]
            if length > size:
                rest.append((start + size, length - size))
            return start, sorted(rest)
    return None, free


def give_back(free, start, size):
    size = -(-size // 256) * 256
    result = []
    for begin, length in sorted([*free, (start, size)]):
        if result and sum(result[-1]) == begin:
            result[-1] = (result[-1][0], result[-1][1] + length)
        else:
            result.append((begin, length))
    return result
