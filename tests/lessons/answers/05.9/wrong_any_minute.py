"""One of the busiest minutes, not the first."""


def busiest(minutes):
    counts = minutes.groupby("clock").size().compute().sort_index(ascending=False)
    return counts.max(), counts.idxmax()


peak = (191, 133674)
