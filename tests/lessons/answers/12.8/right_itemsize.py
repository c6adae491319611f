"""Style: generator over dtypes, exact integers as long as possible."""


def shuffled_bytes(left, right, n_workers):
    total = sum(len(t) * (8 + sum(d.itemsize for d in t.dtypes)) for t in (left, right))
    return total * (n_workers - 1) / n_workers
