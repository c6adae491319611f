"""Wrong: the delay is in minutes, and not in hours."""


def prepare(table):
    return table[table.dep_delay > 2][["carrier", "dep_delay", "distance"]].persist()
