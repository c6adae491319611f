"""Wrong: persists both whole table and result and holds the first in a global, so the workers keep more than needed."""

held = []


def prepare(table):
    table = table.persist()
    held.append(table)
    return table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]].persist()
