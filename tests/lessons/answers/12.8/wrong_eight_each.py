"""Takes 8 bytes for each column, whatever its type."""


def shuffled_bytes(left, right, n_workers):
    total = sum(8 * len(t) * (1 + t.shape[1]) for t in (left, right))
    return total * (n_workers - 1) / n_workers
