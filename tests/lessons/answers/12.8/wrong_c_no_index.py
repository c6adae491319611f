"""Wrong: without the index."""


def shuffled_bytes(left, right, n_workers):
    held = sum(table.memory_usage(index=False).sum() for table in (left, right))
    return float(held) * (1 - 1 / n_workers)
