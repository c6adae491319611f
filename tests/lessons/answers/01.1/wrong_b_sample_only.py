"""Wrong: returns the bytes of the sample and ignores n_rows."""


def table_bytes(sample, n_rows):
    return sample.memory_usage(deep=True, index=False).sum()
