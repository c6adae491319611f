"""Wrong: counts flights that leave in a minute (minute 0), not those "in the air at once"."""

from gpucluster import datasets


def busiest(minutes):
    counts = minutes[minutes["minute"] == 0].groupby("clock").size().compute().sort_index()
    return int(counts.max()), int(counts.idxmax())


peak = busiest(datasets.flight_minutes())
