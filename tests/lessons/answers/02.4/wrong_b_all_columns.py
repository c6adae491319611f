"""Wrong: keeps all columns, not only the three."""


def prepare(table):
    return table[table.dep_delay > 120].persist()
