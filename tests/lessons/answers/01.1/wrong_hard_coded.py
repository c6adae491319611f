def table_bytes(sample, n_rows):
    return 130 * n_rows
