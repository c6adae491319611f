"""Wrong: persists the whole table first, so a plan is returned and the workers keep more than needed."""


def prepare(table):
    kept = table.persist()
    return kept[kept.dep_delay > 120][["carrier", "dep_delay", "distance"]]
