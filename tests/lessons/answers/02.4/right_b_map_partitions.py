"""A pandas function on each partition."""


def choose(part):
    return part.loc[part.dep_delay.gt(120), ["carrier", "dep_delay", "distance"]].copy()


def prepare(table):
    return table.map_partitions(choose, meta=table._meta[["carrier", "dep_delay", "distance"]]).persist()
