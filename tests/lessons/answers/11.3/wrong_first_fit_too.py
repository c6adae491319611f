"""First fit: takes the first block that is large enough, not the smallest one."""


def take(free, size):
    size = -(-size // 256) * 256
    for i, (start, length) in enumerate(free):
        if length >= size:
            rest = [(start + size, length - size)] if length > size else []
            return start, free[:i] + rest + free[i + 1 :]
    return None, list(free)


def give_back(free, start, size):
    size = -(-size // 256) * 256
    result = []
    for s, n in sorted(free + [(start, size)]):
        if result and result[-1][0] + result[-1][1] == s:
            result[-1] = (result[-1][0], result[-1][1] + n)
        else:
            result.append((s, n))
    return result
