"""Wrong: the columns are chosen after persist, so the workers keep all columns."""


def prepare(table):
    late = table[table.dep_delay > 120].persist()
    return late[["carrier", "dep_delay", "distance"]]
