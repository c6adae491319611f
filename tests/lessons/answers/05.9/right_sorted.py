"""Sorted by minute, the first maximum is the first minute."""


def busiest(minutes):
    counts = minutes["clock"].value_counts().compute().sort_index()
    return counts.max(), counts.idxmax()


peak = (191, 133674)
