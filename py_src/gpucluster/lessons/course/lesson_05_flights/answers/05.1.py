"""Answers to exercise 05.1."""

# %% right b_lazy_one_compute: Lazy sums and a lazy drop_duplicates, computed together.
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


kinds = {
    "carrier": "nominal",
    "flight": "nominal",
    "tailnum": "nominal",
    "month": "ordinal",
    "dep_delay": "ratio",
    "distance": "ratio",
    "time_hour": "time",
}

# %% right b_pandas_fetched: Fetches the table and asks pandas.
# edit of right b_lazy_one_compute
# -     gaps = {name: table[name].isnull().sum() for name in table.columns}
# -     different = table[list(key)].drop_duplicates()
# -     gaps, rows, different = dask.compute(gaps, table.shape[0], different)
# -     return dict(
# -         rows=int(rows),
# -         nulls={name: int(number) for name, number in gaps.items() if int(number)},
# -         duplicates=int(rows) - len(different),
# -     )
# +     whole = table.compute()
# +     gaps = whole.isna().sum()
# +     return {
# +         "rows": int(whole.shape[0]),
# +         "nulls": {name: int(number) for name, number in gaps.items() if number > 0},
# +         "duplicates": int(whole.duplicated(subset=list(key)).sum()),
# +     }

# %% right columns_one_by_one: Each column alone, and groups for the duplicates.
# edit of right b_pandas_fetched
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

# %% wrong all_columns: Columns without a gap are named as well.
# fails: nulls names only columns in which something is missing
# edit of right columns_one_by_one
# ~ interval => ratio
# -     nulls = dask.compute({name: table[name].isna().sum() for name in table.columns})[0]
# -     groups = len(table.groupby(key, dropna=False).size())
# -     rows = len(table)
# -     return {"rows": rows, "nulls": {name: int(n) for name, n in nulls.items() if n}, "duplicates": rows - groups}
# +     rows, nulls, keys = dask.compute(table.shape[0], table.isna().sum(), table[key].drop_duplicates().shape[0])
# +     return {"rows": rows, "nulls": nulls.to_dict(), "duplicates": rows - keys}

# %% wrong b_first_partition: Head() shows the first partition only; "it must look at all partitions".
# fails: nulls counts the missing values of each column over all partitions
# edit of right b_pandas_fetched
# ~ whole = table.compute() => part = table.head(10**9)
# ~ gaps = whole => nulls = part
# ~ "rows": int(whole.shape[0]), => "rows": len(table),
# ~ gaps.items() if number > 0 => nulls.items() if number
# ~ "duplicates": int(whole.duplicated(subset=list(key)).sum()) => "duplicates": int(part.duplicated(subset=key).sum())

# %% wrong b_lazy_numbers: The counts stay lazy, asked is "a dictionary of plain numbers".
# fails: rows and duplicates are numbers
# edit of right b_pandas_fetched
# ~ int(whole.shape[0]) => table.shape[0]
# -     whole = table.compute()
# -     gaps = whole.isna().sum()
# +     gaps = table.isna().sum().compute()
# -         "nulls": {name: int(number) for name, number in gaps.items() if number > 0},
# -         "duplicates": int(whole.duplicated(subset=list(key)).sum()),
# +         "nulls": {name: table[name].isna().sum() for name in table.columns if gaps[name]},
# +         "duplicates": table.shape[0] - table[key].drop_duplicates().shape[0],

# %% wrong distance_has_no_zero: A distance of 0 is no distance: twice as far means something.
# fails: Each column has its kind: what may one do with its values?
# edit of wrong all_columns
# ~ "distance": "ratio", => "distance": "interval",
# - import dask
# + import dask
# + import pandas as pd
# +
# +
# + def look(part, key):
# +     return len(part), part.isna().sum(), part[key].drop_duplicates()
# -     rows, nulls, keys = dask.compute(table.shape[0], table.isna().sum(), table[key].drop_duplicates().shape[0])
# -     return {"rows": rows, "nulls": nulls.to_dict(), "duplicates": rows - keys}
# +     results = dask.compute(*[dask.delayed(look)(part, key) for part in table.to_delayed()])
# +     rows = sum(result[0] for result in results)
# +     nulls = sum(result[1] for result in results)
# +     keys = pd.concat([result[2] for result in results]).drop_duplicates()
# +     return {"rows": rows, "nulls": {name: n for name, n in nulls.items() if n > 0}, "duplicates": rows - len(keys)}

# %% wrong first_partition: Only the first partition is counted.
# fails: rows is the number of all rows
# edit of wrong all_columns
# -     rows, nulls, keys = dask.compute(table.shape[0], table.isna().sum(), table[key].drop_duplicates().shape[0])
# -     return {"rows": rows, "nulls": nulls.to_dict(), "duplicates": rows - keys}
# +     first = table.partitions[0].compute()
# +     nulls = first.isna().sum()
# +     return {"rows": len(first), "nulls": nulls[nulls > 0].to_dict(), "duplicates": int(first.duplicated(key).sum())}

# %% wrong keys_with_gaps_lost: Groups leave out the keys with a gap.
# fails: duplicates counts the rows whose key was there before, also in another partition
# edit of right columns_one_by_one
# ~ key, dropna=False => key

# %% wrong repeated_keys: Counts the keys that occur again, not the rows.
# fails: duplicates counts the rows whose key was there before, also in another partition
# edit of right columns_one_by_one
# ~ rows - groups => again
# -     groups = len(table.groupby(key, dropna=False).size())
# +     again = int((table.groupby(key, dropna=False).size() > 1).sum().compute())
