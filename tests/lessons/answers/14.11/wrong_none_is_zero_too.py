"""None counts as 0."""


def partial(rows):
    out = {}
    for key, number in rows:
        s, n = out.get(key, (0.0, 0))
        out[key] = (s + (number or 0), n + 1)
    return out


def combine(a, b):
    out = dict(a)
    for k, (s, n) in b.items():
        t, m = out.get(k, (0.0, 0))
        out[k] = (s + t, n + m)
    return out


def finish(total):
    return {key: s / n for key, (s, n) in total.items()}
