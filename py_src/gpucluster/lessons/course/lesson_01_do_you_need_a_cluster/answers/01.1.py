# %% right b_fraction: Exact integer arithmetic with rounding up.
def table_bytes(sample, n_rows):
    counted = int(sum(sample.memory_usage(index=False, deep=True).tolist()))
    return -(-counted * n_rows // len(sample))

# %% right per_row
def table_bytes(sample, n_rows):
    return sample.memory_usage(deep=True).sum() / len(sample) * n_rows

# %% wrong b_csv: Estimates the size of a text file, not of the table in memory.
# fails: The estimate is within 2 % of the whole table's size (numbers only)
def table_bytes(sample, n_rows):
    return len(sample.to_csv(index=False)) / len(sample) * n_rows

# %% wrong b_letters_only, edit of the solution: Counts the letters of object text, but not the pointers and the bytes around each text.
# fails: The estimate is within 2 % of the whole table's size (numbers and object text)
# ~ sample.memory_usage(deep=True, index=False).sum() => sum(column.astype(str).str.len().sum() if column.dtype == object else column.nbytes for _, column in sample.items())

# %% wrong sample_changed, edit of the solution
# fails: Inputs are not modified
# ~ used = sample => used = (sample.drop(sample.index[0], inplace=True) or sample)
