"""Style: a contribution is a pair of plain dictionaries, exact fractions for the sums."""

from fractions import Fraction


def partial(rows):
    sums, counts = {}, {}
    for key, number in rows:
        if number is None:
            continue
        sums[key] = sums.get(key, 0) + Fraction(number)
        counts[key] = counts.get(key, 0) + 1
    return sums, counts


def _add(x, y):
    out = dict(x)
    for key in y:
        out[key] = out.get(key, 0) + y[key]
    return out


def combine(a, b):
    return _add(a[0], b[0]), _add(a[1], b[1])


def finish(total):
    return {key: float(total[0][key] / n) for key, n in total[1].items()}
