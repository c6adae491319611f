# %% right b_shuffle_tasks: A shuffle by the row number, with tasks instead of p2p.
def balance(table, npartitions):
    return table.shuffle(on="row", npartitions=npartitions, shuffle_method="tasks")

# %% right b_helper_column: A helper column with a scrambled row number is shuffled by, and dropped again.
def balance(table, npartitions):
    helper = table.assign(helper=(table["row"] * 2654435761) % 2**31)
    return helper.shuffle("helper", npartitions=npartitions).drop(columns="helper")

# %% right index: A sorted index with limits at equal distances.
def balance(table, npartitions):
    last = int(table.row.max().compute())
    limits = [last * number // npartitions for number in range(npartitions + 1)]
    return table.set_index("row", divisions=limits, drop=False)

# %% right shuffle: A shuffle by a column whose values are all different.
# ~ npartitions, shuffle_method="tasks" => npartitions

# %% wrong b_by_origin: Shuffles by origin, which has three values for all partitions.
# fails: It runs without an error: KeyError
# ~ on="row", npartitions=npartitions, shuffle_method="tasks" => "origin", npartitions=npartitions

# %% wrong b_eager_pandas: Returns a list of pandas tables, not a lazy table, and gathers all rows.
# fails: It returns a lazy Dask table
# -     return table.shuffle(on="row", npartitions=npartitions, shuffle_method="tasks")
# +     here = table.compute().sort_values("row")
# +     return [here.iloc[i] for i in np.array_split(np.arange(len(here)), npartitions)]
import numpy as np

# %% wrong b_in_notebook: Gathers the table in the notebook and cuts it there.
# fails: No rows pass through the notebook
# -     return table.shuffle(on="row", npartitions=npartitions, shuffle_method="tasks")
# +     return dd.from_pandas(table.compute(), npartitions=npartitions)
import dask.dataframe as dd

# %% wrong b_npartitions_ignored: Keeps the old number of partitions and ignores npartitions.
# fails: There are as many partitions as requested
# ~ on="row", npartitions=npartitions, shuffle_method="tasks" => "row"

# %% wrong b_row_lost: Row becomes the index, so the column row is gone and the rows are not the same.
# fails: The result can be computed: KeyError
# ~ shuffle(on="row", npartitions=npartitions, shuffle_method="tasks") => set_index("row", npartitions=npartitions)

# %% wrong b_sampled: Cuts the large partitions by taking a sample, so not the same rows come back.
# fails: No row is lost
def balance(table, npartitions):
    return table.sample(frac=0.9, random_state=0).shuffle("row", npartitions=npartitions)

# %% wrong estimated_limits: A sorted index whose limits Dask estimates from a sample.
# fails: No partition has more than 1.3 times the mean number of rows
def balance(table, npartitions):
    return table.set_index("row", npartitions=npartitions, drop=False)

# %% wrong twice: Rows at the edges are in two partitions.
# fails: No row occurs twice
def balance(table, npartitions):
    even = table.shuffle("row", npartitions=npartitions)
    return even.map_partitions(lambda part: part.iloc[[0, *range(len(part))]])

# %% wrong persisted: Computed at once and kept on the workers, where the text asks for a lazy table.
# fails: The table is lazy: nothing of it is computed yet
# ~ , shuffle_method="tasks" => ).persist(
