def shuffled_bytes(left, right, n_workers):
    rows = sum(len(table) * (8 + sum(dtype.itemsize for dtype in table.dtypes)) for table in (left,))
    return rows * (n_workers - 1) / n_workers
