def prepare(table):
    table = table.persist()
    return table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]]
