import dask


def prepare(table):
    small = table[["carrier", "dep_delay", "distance"]]
    small = small.loc[small["dep_delay"] > 120]
    return dask.persist(small)[0]
