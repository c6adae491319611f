"""Wrong: the last minute with so many; "the first minute with so many"."""


def busiest(minutes):
    counts = minutes.groupby("clock").size().compute().sort_index()
    return int(counts.max()), int(counts[counts == counts.max()].index[-1])


peak = (191, 523_882)
