def shuffled_bytes(left, right, n_workers):
    rows = sum(table.memory_usage(index=True).sum() for table in (left, right))
    return rows * (n_workers - 1) / n_workers
