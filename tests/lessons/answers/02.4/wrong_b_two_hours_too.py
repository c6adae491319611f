"""Wrong: >= takes flights of exactly two hours as well; the text says more than two hours."""


def prepare(table):
    return table[table.dep_delay >= 120][["carrier", "dep_delay", "distance"]].persist()
