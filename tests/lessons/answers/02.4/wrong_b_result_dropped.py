"""Wrong: persist makes a new collection, which is thrown away here; the old plan is returned."""


def prepare(table):
    late = table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]]
    late.persist()
    return late
