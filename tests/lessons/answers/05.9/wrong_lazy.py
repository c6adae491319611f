"""The numbers are never computed."""


def busiest(minutes):
    counts = minutes.groupby("clock").size()
    return counts.max(), counts.idxmax


peak = (191, 133674)
