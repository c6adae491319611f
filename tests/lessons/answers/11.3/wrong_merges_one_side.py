"""give_back merges with the block before it or (elif) with the one after it, never with both."""


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
    new = list(free)
    for i, (s, n) in enumerate(new):
        if s + n == start:
            new[i] = (s, n + size)
            return new
        if start + size == s:
            new[i] = (start, n + size)
            return new
    return sorted(new + [(start, size)])
