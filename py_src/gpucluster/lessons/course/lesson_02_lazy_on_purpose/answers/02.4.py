# %% right chain
def prepare(table):
    return table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]].persist()

# %% right columns_first
import dask


def prepare(table):
    small = table[["carrier", "dep_delay", "distance"]]
    small = small.loc[small["dep_delay"] > 120]
    return dask.persist(small)[0]

# %% wrong all_columns_kept
# fails: It has the three columns
# ~ 120][["carrier", "dep_delay", "distance"]] => 120]

# %% wrong all_rows_kept
# fails: The workers keep only what is needed
def prepare(table):
    kept = table[["carrier", "dep_delay", "distance"]].persist()
    return kept[kept.dep_delay > 120]

# %% wrong b_hours: The delay is in minutes, and not in hours.
# fails: It has all flights more than 120 minutes late, and no others
# ~ 120][ => 2][

# %% wrong b_kept_global, edit of the solution: Persists both whole table and result and holds the first in a global, so the workers keep more than needed.
# fails: The workers keep only what is needed
# -     """Return the flights more than 120 minutes late, three columns, kept on the workers."""
# +     table = table.persist()
# +     held.append(table)
held = []

# %% wrong b_only_a_plan: Only a plan, so each question loads everything again.
# fails: Queries on the result load nothing again
# ~ ].persist() => ]

# %% wrong b_pandas: Returns a pandas table in the notebook, not a Dask table on the workers.
# fails: It returns a Dask table
# ~ persist => compute

# %% wrong b_through_notebook: Brings the rows to the notebook and makes a Dask table of them again; they must be kept on the workers.
# fails: Only names are sent to the notebook
# -     return table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]].persist()
# +     here = table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]].compute()
# +     return dd.from_pandas(here, npartitions=table.npartitions)
import dask.dataframe as dd

# %% wrong b_two_hours_too: >= takes flights of exactly two hours as well; the text says more than two hours.
# fails: It has all flights more than 120 minutes late, and no others
# ~ dep_delay > 120 => dep_delay >= 120
