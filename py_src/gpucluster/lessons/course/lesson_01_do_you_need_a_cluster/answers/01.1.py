# %% right b_fraction: Exact integer arithmetic with rounding up.
def table_bytes(sample, n_rows):
    counted = int(sum(sample.memory_usage(index=False, deep=True).tolist()))
    return -(-counted * n_rows // len(sample))

# %% right per_row
def table_bytes(sample, n_rows):
    return sample.memory_usage(deep=True).sum() / len(sample) * n_rows

# %% wrong b_csv: Estimates the size of a text file, not of the table in memory.
# fails: The estimate is within 2 % of the whole table, neither more nor less (numbers only)
def table_bytes(sample, n_rows):
    return len(sample.to_csv(index=False)) / len(sample) * n_rows

# %% wrong b_letters_only: Counts the letters of object text, but not the pointers and the bytes around each text.
# fails: The estimate is within 2 % of the whole table, neither more nor less (numbers and object text)
def table_bytes(sample, n_rows):
    total = 0
    for _, column in sample.items():
        if column.dtype == object:
            total += column.astype(str).str.len().sum()
        else:
            total += column.memory_usage(index=False, deep=True)
    return total / len(sample) * n_rows

# %% wrong sample_changed
# fails: Inputs are not modified
def table_bytes(sample, n_rows):
    sample["size"] = 0
    del sample["size"]
    sample.drop(sample.index[0], inplace=True)
    return sample.memory_usage(deep=True, index=False).sum() / len(sample) * n_rows
