"""A loop over the columns adds the bytes per row of each."""


def table_bytes(sample, n_rows):
    per_row = 0.0
    for name in sample.columns:
        per_row += sample[name].memory_usage(index=False, deep=True) / len(sample)
    return int(round(per_row * n_rows))
