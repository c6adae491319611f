"""Takes the index from memory_usage, where a RangeIndex has a few bytes only."""


def shuffled_bytes(left, right, n_workers):
    total = left.memory_usage(index=True).sum() + right.memory_usage(index=True).sum()
    return float(total * (n_workers - 1) / n_workers)
