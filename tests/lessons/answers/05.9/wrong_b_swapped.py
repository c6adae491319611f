"""Wrong: (clock, number), asked is "(number, clock)"."""


def busiest(minutes):
    counts = minutes.groupby("clock").size().compute().sort_index()
    return int(counts.idxmax()), int(counts.max())


peak = (133_674, 191)
