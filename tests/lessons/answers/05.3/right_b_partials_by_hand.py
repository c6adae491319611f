"""Right: sums and counts of each partition by map_partitions, then a small group-by over them."""


def partial(part):
    known = part[["origin", "dep_delay"]].dropna(subset=["dep_delay"])
    return known.groupby("origin", as_index=False).agg(total=("dep_delay", "sum"), number=("dep_delay", "count"))


def mean_delay(flights):
    parts = flights.map_partitions(partial)
    both = parts.groupby("origin")[["total", "number"]].sum()
    return (both["total"] / both["number"]).rename("dep_delay")
