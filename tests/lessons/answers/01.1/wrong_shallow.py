def table_bytes(sample, n_rows):
    return sample.memory_usage(deep=False).sum() / len(sample) * n_rows
