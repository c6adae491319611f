"""Assumes that both tables have the same size: doubles the left one."""


def shuffled_bytes(left, right, n_workers):
    total = 2 * len(left) * (8 + sum(d.itemsize for d in left.dtypes))
    return total * (n_workers - 1) / n_workers
