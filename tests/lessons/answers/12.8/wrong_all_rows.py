def shuffled_bytes(left, right, n_workers):
    return sum(len(table) * (8 + sum(dtype.itemsize for dtype in table.dtypes)) for table in (left, right))
