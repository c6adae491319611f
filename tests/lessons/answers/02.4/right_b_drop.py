"""Drops the columns that are not wanted, and then the rows."""


def prepare(table):
    wanted = ("carrier", "dep_delay", "distance")
    narrow = table.drop(columns=[name for name in table.columns if name not in wanted])
    return narrow[narrow.dep_delay > 120].persist()
