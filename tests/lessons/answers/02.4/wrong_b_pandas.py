"""Wrong: returns a pandas table in the notebook, not a Dask table on the workers."""


def prepare(table):
    return table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]].compute()
