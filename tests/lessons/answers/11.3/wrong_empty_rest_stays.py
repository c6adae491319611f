"""After an exact fit a free block of 0 bytes stays in the list."""


def take(free, size):
    size = -(-size // 256) * 256
    best = None
    for i, (_, n) in enumerate(free):
        if n >= size and (best is None or n < free[best][1]):
            best = i
    if best is None:
        return None, list(free)
    new = list(free)
    s, n = new[best]
    new[best] = (s + size, n - size)
    return s, new


def give_back(free, start, size):
    size = -(-size // 256) * 256
    result = []
    for s, n in sorted(free + [(start, size)]):
        if result and result[-1][0] + result[-1][1] == s:
            result[-1] = (result[-1][0], result[-1][1] + n)
        else:
            result.append((s, n))
    return result
