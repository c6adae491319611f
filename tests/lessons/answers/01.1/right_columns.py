def table_bytes(sample, n_rows):
    total = 0
    for name in sample:
        total += sample[name].memory_usage(deep=True, index=False) * n_rows / len(sample)
    return int(total)
