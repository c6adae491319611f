"""combine adds into its first argument."""


def partial(rows):
    out = {}
    for key, number in rows:
        if number is not None:
            s, n = out.get(key, (0.0, 0))
            out[key] = (s + number, n + 1)
    return out


def combine(a, b):
    for k, (s, n) in b.items():
        t, m = a.get(k, (0.0, 0))
        a[k] = (s + t, n + m)
    return a


def finish(total):
    return {key: s / n for key, (s, n) in total.items()}
