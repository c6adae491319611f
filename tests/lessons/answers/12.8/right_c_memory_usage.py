"""Right: memory_usage counts the columns, eight bytes for each row are the index."""


def shuffled_bytes(left, right, n_workers):
    held = sum(table.memory_usage(index=False).sum() + 8 * len(table) for table in (left, right))
    return float(held) * (1 - 1 / n_workers)
