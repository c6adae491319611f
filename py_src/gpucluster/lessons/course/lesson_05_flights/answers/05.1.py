# %% right b_lazy_one_compute, edit of the solution: Lazy sums and a lazy drop_duplicates, computed together.
import dask


def audit(table, key):
    gaps = {name: table[name].isnull().sum() for name in table.columns}
    different = table[list(key)].drop_duplicates()
    gaps, rows, different = dask.compute(gaps, table.shape[0], different)
    return dict(
        rows=int(rows),
        nulls={name: int(number) for name, number in gaps.items() if int(number)},
        duplicates=int(rows) - len(different),
    )

# %% right b_pandas_fetched, edit of right b_lazy_one_compute: Fetches the table and asks pandas.
def audit(table, key):
    whole = table.compute()
    gaps = whole.isna().sum()
    return {
        "rows": int(whole.shape[0]),
        "nulls": {name: int(number) for name, number in gaps.items() if number > 0},
        "duplicates": int(whole.duplicated(subset=list(key)).sum()),
    }

# %% right columns_one_by_one, edit of right b_pandas_fetched: Each column alone, and groups for the duplicates.
# ~ "dep_delay": "ratio", => "dep_delay": "interval",
# -     whole = table.compute()
# -     gaps = whole.isna().sum()
# -     return {
# -         "rows": int(whole.shape[0]),
# -         "nulls": {name: int(number) for name, number in gaps.items() if number > 0},
# -         "duplicates": int(whole.duplicated(subset=list(key)).sum()),
# -     }
# +     nulls = dask.compute({name: table[name].isna().sum() for name in table.columns})[0]
# +     groups = len(table.groupby(key, dropna=False).size())
# +     rows = len(table)
# +     return {"rows": rows, "nulls": {name: int(n) for name, n in nulls.items() if n}, "duplicates": rows - groups}

# %% wrong all_columns, edit of right b_lazy_one_compute: Columns without a gap are named as well.
# fails: nulls lists only columns with missing values
def audit(table, key):
    rows, nulls, keys = dask.compute(table.shape[0], table.isna().sum(), table[key].drop_duplicates().shape[0])
    return {"rows": rows, "nulls": nulls.to_dict(), "duplicates": rows - keys}

# %% wrong b_first_partition, edit of right b_pandas_fetched: Head() shows the first partition only; "it must look at all partitions".
# fails: nulls counts the missing values of each column over all partitions
# ~ table.compute() => table.head(10**9)
# ~ "rows": int(whole.shape[0]), => "rows": len(table),

# %% wrong b_lazy_numbers: The counts stay lazy, asked is "a dictionary of plain numbers".
# fails: rows and duplicates are numbers
# ~ rows=int(rows), => rows=table.shape[0],

# %% wrong distance_has_no_zero: A distance of 0 is no distance: twice as far means something.
# fails: Each column has the right kind: what can you do with its values?
# ~ "distance": "ratio" => "distance": "interval"

# %% wrong first_partition, edit of right b_lazy_one_compute: Only the first partition is counted.
# fails: rows counts all rows
def audit(table, key):
    first = table.partitions[0].compute()
    nulls = first.isna().sum()
    return {"rows": len(first), "nulls": nulls[nulls > 0].to_dict(), "duplicates": int(first.duplicated(key).sum())}

# %% wrong keys_with_gaps_lost, edit of right columns_one_by_one: Groups leave out the keys with a gap.
# fails: duplicates counts the rows whose key occurred before, even in another partition
# ~ key, dropna=False => key

# %% wrong repeated_keys, edit of right columns_one_by_one: Counts the keys that occur again, not the rows.
# fails: duplicates counts the rows whose key occurred before, even in another partition
# ~ rows - groups => again
# -     groups = len(table.groupby(key, dropna=False).size())
# +     again = int((table.groupby(key, dropna=False).size() > 1).sum().compute())
