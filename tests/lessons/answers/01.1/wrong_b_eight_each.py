"""Wrong: takes eight bytes for each value, but int32 has four and text has more."""


def table_bytes(sample, n_rows):
    return 8 * sample.shape[1] * n_rows
