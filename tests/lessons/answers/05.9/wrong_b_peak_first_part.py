"""Wrong: peak is that of the first partition; "let it run on the whole table"."""

from gpucluster import datasets


def busiest(minutes):
    counts = minutes.groupby("clock").size().compute().sort_index()
    return int(counts.max()), int(counts.idxmax())


peak = busiest(datasets.flight_minutes().partitions[:1])
