"""Wrong: the share that stays, not the share that moves."""


def shuffled_bytes(left, right, n_workers):
    held = sum(table.memory_usage(index=False).sum() + 8 * len(table) for table in (left, right))
    return float(held) / n_workers
