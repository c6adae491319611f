"""Style: a contribution is a dictionary of (sum, count), comprehension over the union of the keys."""


def partial(rows):
    out = {}
    for key, number in rows:
        if number is not None:
            s, n = out.get(key, (0.0, 0))
            out[key] = (s + number, n + 1)
    return out


def combine(a, b):
    zero = (0.0, 0)
    return {k: tuple(map(sum, zip(a.get(k, zero), b.get(k, zero), strict=False))) for k in {*a, *b}}


def finish(total):
    return {key: s / n for key, (s, n) in total.items()}
