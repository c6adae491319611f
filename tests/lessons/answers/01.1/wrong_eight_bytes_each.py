def table_bytes(sample, n_rows):
    return 8 * sample.shape[1] * n_rows
