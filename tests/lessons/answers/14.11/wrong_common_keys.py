"""combine keeps only the keys that both have."""


def partial(rows):
    out = {}
    for key, number in rows:
        if number is not None:
            s, n = out.get(key, (0.0, 0))
            out[key] = (s + number, n + 1)
    return out


def combine(a, b):
    if not a or not b:
        return dict(a or b)
    return {k: (a[k][0] + b[k][0], a[k][1] + b[k][1]) for k in a if k in b}


def finish(total):
    return {key: s / n for key, (s, n) in total.items()}
