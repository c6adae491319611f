"""Rounds with size // 256 + 1, so a multiple of 256 becomes 256 more."""


def _round(size):
    return (size // 256 + 1) * 256


def take(free, size):
    size = _round(size)
    good = [(n, s) for s, n in free if n >= size]
    if not good:
        return None, list(free)
    n, s = min(good)
    new = [b for b in free if b[0] != s]
    if n > size:
        new.append((s + size, n - size))
    return s, sorted(new)


def give_back(free, start, size):
    size = _round(size)
    result = []
    for s, n in sorted(free + [(start, size)]):
        if result and result[-1][0] + result[-1][1] == s:
            result[-1] = (result[-1][0], result[-1][1] + n)
        else:
            result.append((s, n))
    return result
