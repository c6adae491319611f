# %% right all_rows_kept: The contribution is all the numbers; it works, though it is large.
from statistics import fmean


def partial(rows):
    return [row for row in rows if row[1] is not None]


def combine(a, b):
    return a + b


def finish(total):
    return {key: fmean(value for other, value in total if other == key) for key in {key for key, _ in total}}

# %% right pandas: Data frames of pandas.
# ~ from statistics import fmean => import pandas as pd
# ~ a + b => a.add(b, fill_value=0)
# -     return [row for row in rows if row[1] is not None]
# +     table = pd.DataFrame(list(rows), columns=["key", "value"]).astype({"value": "float64"})
# +     return table.groupby("key")["value"].agg(["sum", "count"])
# -     return {key: fmean(value for other, value in total if other == key) for key in {key for key, _ in total}}
# +     total = total[total["count"] > 0]
# +     return (total["sum"] / total["count"]).to_dict()

# %% right tuples: Style: a contribution is a dictionary of (sum, count), comprehension over the union of the keys.
# -     return [row for row in rows if row[1] is not None]
# +     out = {}
# +     for key, number in rows:
# +         if number is not None:
# +             s, n = out.get(key, (0.0, 0))
# +             out[key] = (s + number, n + 1)
# +     return out
# -     return a + b
# +     zero = (0.0, 0)
# +     return {k: tuple(map(sum, zip(a.get(k, zero), b.get(k, zero), strict=False))) for k in {*a, *b}}
# -     return {key: fmean(value for other, value in total if other == key) for key in {key for key, _ in total}}
# +     return {key: s / n for key, (s, n) in total.items()}

# %% wrong nan_keys, edit of the solution: Keys without any number come with None in the result.
# fails: All keys with a number are included, and no others
# ~ count for => count if count else None for
# -         if value is not None:
# -             total, count = found.get(key, (0, 0))
# -             found[key] = (total + value, count + 1)
# +         total, count = found.get(key, (0, 0))
# +         found[key] = (total, count) if value is None else (total + value, count + 1)

# %% wrong mean_of_means_too: A contribution is a mean; combine takes the mean of two means.
# fails: One after the other, the means are right
# -     return [row for row in rows if row[1] is not None]
# +     values = {}
# +     for key, number in rows:
# +         if number is not None:
# +             values.setdefault(key, []).append(number)
# +     return {key: sum(v) / len(v) for key, v in values.items()}
# -     return a + b
# +     return {k: (a[k] + b[k]) / 2 if k in a and k in b else a.get(k, b.get(k)) for k in {*a, *b}}
# -     return {key: fmean(value for other, value in total if other == key) for key in {key for key, _ in total}}
# +     return dict(total)

# %% wrong common_keys, edit of the solution: combine keeps only the keys that both have.
# fails: All keys with a number are included, and no others
# -     return both
# +     return {key: both[key] for key in both if key in a and key in b} if a and b else both

# %% wrong generator: A contribution that cannot travel.
# fails: A contribution can travel to another process: TypeError
# ~ [row for row in rows if row[1] is not None] => (row for row in rows if row[1] is not None)
# ~ a + b => [*a, *b]

# %% wrong keys_of_a_only, edit of the solution: Keys that only b has are lost.
# fails: All keys with a number are included, and no others
# -     for key, (total, count) in b.items():
# +     for key, (total, count) in b.items():
# +         if key not in both:
# +             continue
