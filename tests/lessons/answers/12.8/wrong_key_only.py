def shuffled_bytes(left, right, n_workers):
    rows = sum(len(table) * (8 + table["key"].dtype.itemsize) for table in (left, right))
    return rows * (n_workers - 1) / n_workers
