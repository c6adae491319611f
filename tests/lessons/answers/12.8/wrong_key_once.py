"""Counts the key's column for one table only, since the result has it once."""


def shuffled_bytes(left, right, n_workers):
    total = len(left) * (8 + sum(d.itemsize for d in left.dtypes))
    total += len(right) * (8 + sum(d.itemsize for name, d in right.dtypes.items() if name not in left.columns))
    return total * (n_workers - 1) / n_workers
