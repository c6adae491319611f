"""Wrong: only a plan, so each question loads everything again."""


def prepare(table):
    return table[table.dep_delay > 120][["carrier", "dep_delay", "distance"]]
