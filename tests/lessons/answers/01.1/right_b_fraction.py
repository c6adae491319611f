"""Exact integer arithmetic with rounding up."""


def table_bytes(sample, n_rows):
    counted = int(sum(sample.memory_usage(index=False, deep=True).tolist()))
    return -(-counted * n_rows // len(sample))
