"""give_back appends to the list that it was given, and sorts it."""


def take(free, size):
    size = -(-size // 256) * 256
    good = [(n, s) for s, n in free if n >= size]
    if not good:
        return None, list(free)
    n, s = min(good)
    new = [b for b in free if b[0] != s]
    if n > size:
        new.append((s + size, n - size))
    return s, sorted(new)


def give_back(free, start, size):
    size = -(-size // 256) * 256
    free.append((start, size))
    free.sort()
    result = [free[0]]
    for s, n in free[1:]:
        if result[-1][0] + result[-1][1] == s:
            result[-1] = (result[-1][0], result[-1][1] + n)
        else:
            result.append((s, n))
    return result
