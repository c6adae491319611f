def shuffled_bytes(left, right, n_workers):
    total = 0
    for table in (left, right):
        total += table.memory_usage(index=False).sum() + 8 * len(table)
    return total * (1 - 1 / n_workers)
