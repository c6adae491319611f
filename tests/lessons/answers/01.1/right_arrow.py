import pandas as pd


def table_bytes(sample, n_rows):
    total = 0.0
    for name in sample:
        column = sample[name]
        if column.dtype == object:
            total += 8 + sum(map(__import__("sys").getsizeof, column)) / len(column)
        elif isinstance(column.dtype, pd.StringDtype):
            total += column.array.nbytes / len(column)
        else:
            total += column.dtype.itemsize
    return total * n_rows
