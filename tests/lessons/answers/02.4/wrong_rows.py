def prepare(table):
    return table[table.dep_delay >= 60][["carrier", "dep_delay", "distance"]].persist()
