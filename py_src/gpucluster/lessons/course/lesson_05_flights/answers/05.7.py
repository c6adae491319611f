import pandas as pd

# %% right b_categorize: Categorize over all partitions, then get_dummies with whole numbers.
import dask.dataframe as dd


def one_hot(table, column):
    return dd.get_dummies(table[[column]].categorize(columns=[column]), columns=[column], dtype="int8")

# %% right c_persisted: The column is computed once and stays with the workers; categories and new columns come from there.
def one_hot(table, column):
    column_of = table[column].persist()
    result = column_of.to_frame()
    for category in sorted(column_of.unique().compute()):
        result[f"{column}_{category}"] = column_of == category
    return result.drop(columns=column)

# %% right compare: One comparison per category.
# -     return dd.get_dummies(table[[column]].categorize(columns=[column]), columns=[column], dtype="int8")
# +     names = sorted(table[column].drop_duplicates().compute())
# +     return dd.concat([(table[column] == name).astype("int8").rename(f"{column}_{name}") for name in names], axis=1)

# %% right library: The library's encoder.
# ~ import dask.dataframe as dd => from gpucluster.learn import OneHotEncoder
# ~ dd.get_dummies(table[[column]].categorize(columns=[column]), columns=[column], dtype="int8" => OneHotEncoder().fit(table[[column]]).transform(table[[column]]

# %% right map_partitions: A loop over the categories.
def one_hot(table, column):
    names = sorted(table[column].dropna().unique().compute())

    def of(part):
        return pd.DataFrame({f"{column}_{n}": part[column].eq(n) for n in names}, index=part.index)

    return table.map_partitions(of, meta={f"{column}_{n}": "bool" for n in names})

# %% wrong b_column_ignored: The option column is ignored, the airline is encoded always.
# fails: There is one column per category of the whole table, named column_category
# ~ [[column]].categorize(columns=[column]), columns=[column], dtype="int8" => [["carrier"]].categorize(), dtype=int

# %% wrong b_each_partition, edit of right map_partitions: Each partition finds its own categories; asked is "the same in every partition".
# fails: Every partition has the same columns, in the same order
def one_hot(table, column):
    first = pd.get_dummies(table.partitions[0][[column]].compute(), columns=[column], dtype=int)
    return table[[column]].map_partitions(
        lambda part: pd.get_dummies(part, columns=[column], dtype=int), meta=first.iloc[:0], enforce_metadata=False
    )

# %% wrong b_fetched, edit of right map_partitions: The table is fetched and encoded in the notebook; a "lazy table" is asked.
# fails: It returns a lazy Dask table
def one_hot(table, column):
    return pd.get_dummies(table[[column]].compute(), columns=[column], dtype=int)

# %% wrong c_fetched_and_cut_again: All rows come to the notebook, are encoded there, and are cut into partitions again.
# fails: No rows move: the new table consists of the old one's partitions
# -     return dd.get_dummies(table[[column]].categorize(columns=[column]), columns=[column], dtype="int8")
# +     values = table[column].compute().reset_index(drop=True)
# +     return dd.from_pandas(pd.get_dummies(values, prefix=column), npartitions=table.npartitions)

# %% wrong only_name
# fails: What it returns can be computed and looked at: KeyError
# ~ column]), columns=[ => column])[
