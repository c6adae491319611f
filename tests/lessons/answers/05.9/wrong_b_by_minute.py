"""Wrong: groups by `minute`, the minute of a flight, not by the clock."""

from gpucluster import datasets


def busiest(minutes):
    counts = minutes.groupby("minute").size().compute().sort_index()
    return int(counts.max()), int(counts.idxmax())


peak = busiest(datasets.flight_minutes())
