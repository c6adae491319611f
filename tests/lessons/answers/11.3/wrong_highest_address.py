"""Of several equally small blocks it takes the one with the highest address (<= instead of <)."""


def take(free, size):
    size = -(-size // 256) * 256
    best = None
    for i, (_, n) in enumerate(free):
        if n >= size and (best is None or n <= free[best][1]):
            best = i
    if best is None:
        return None, list(free)
    s, n = free[best]
    rest = [(s + size, n - size)] if n > size else []
    return s, free[:best] + rest + free[best + 1 :]


def give_back(free, start, size):
    size = -(-size // 256) * 256
    result = []
    for s, n in sorted(free + [(start, size)]):
        if result and result[-1][0] + result[-1][1] == s:
            result[-1] = (result[-1][0], result[-1][1] + n)
        else:
            result.append((s, n))
    return result
