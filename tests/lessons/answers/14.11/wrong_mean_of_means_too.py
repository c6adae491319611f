"""A contribution is a mean; combine takes the mean of two means."""


def partial(rows):
    values = {}
    for key, number in rows:
        if number is not None:
            values.setdefault(key, []).append(number)
    return {key: sum(v) / len(v) for key, v in values.items()}


def combine(a, b):
    return {k: (a[k] + b[k]) / 2 if k in a and k in b else a.get(k, b.get(k)) for k in {*a, *b}}


def finish(total):
    return dict(total)
