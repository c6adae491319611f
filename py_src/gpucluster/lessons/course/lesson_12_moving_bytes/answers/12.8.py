# %% right itemsize: Style: generator over dtypes, exact integers as long as possible.
def shuffled_bytes(left, right, n_workers):
    total = sum(len(t) * (8 + sum(d.itemsize for d in t.dtypes)) for t in (left, right))
    return total * (n_workers - 1) / n_workers

# %% right memory_usage
def shuffled_bytes(left, right, n_workers):
    total = 0
    for table in (left, right):
        total += table.memory_usage(index=False).sum() + 8 * len(table)
    return total * (1 - 1 / n_workers)

# %% wrong all_move: Counts all rows, including those that are where they belong.
# fails: The bytes are right within one per cent
# ~ total * (n_workers - 1) / n_workers => total

# %% wrong without_the_index: The index is forgotten.
# fails: The bytes are right within one per cent
# ~ 8 + sum => sum

# %% wrong c_eight_bytes_each: Takes eight bytes for each number, whatever its type.
# fails: The bytes are right within one per cent
# ~ sum(d.itemsize for d in t.dtypes) => 8 * len(t.dtypes)
