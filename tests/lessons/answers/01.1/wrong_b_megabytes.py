"""Wrong: returns megabytes, but bytes were asked for."""


def table_bytes(sample, n_rows):
    return sample.memory_usage(deep=True, index=False).sum() / len(sample) * n_rows / 1e6
