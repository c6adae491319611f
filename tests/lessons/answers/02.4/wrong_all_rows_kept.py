def prepare(table):
    kept = table[["carrier", "dep_delay", "distance"]].persist()
    return kept[kept.dep_delay > 120]
