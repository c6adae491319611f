"""Keys without any number come with None in the result."""


def partial(rows):
    out = {}
    for key, number in rows:
        s, n = out.get(key, (0.0, 0))
        out[key] = (s, n) if number is None else (s + number, n + 1)
    return out


def combine(a, b):
    out = dict(a)
    for k, (s, n) in b.items():
        t, m = out.get(k, (0.0, 0))
        out[k] = (s + t, n + m)
    return out


def finish(total):
    return {key: s / n if n else None for key, (s, n) in total.items()}
