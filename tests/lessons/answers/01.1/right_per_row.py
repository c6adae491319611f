def table_bytes(sample, n_rows):
    return sample.memory_usage(deep=True).sum() / len(sample) * n_rows
