"""The busiest minute of any one partition."""


def busiest(minutes):
    best = minutes.map_partitions(lambda part: part.groupby("clock").size().nlargest(1)).compute().sort_index()
    return best.max(), best.idxmax()


peak = (191, 133674)
