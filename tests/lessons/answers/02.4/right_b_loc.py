"""loc with rows and columns at once, then dask.persist."""

import dask


def prepare(table):
    late = table.loc[table["dep_delay"] > 120, ["carrier", "dep_delay", "distance"]]
    (kept,) = dask.persist(late)
    return kept
