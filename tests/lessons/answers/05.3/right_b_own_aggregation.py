"""Right: an aggregation of one's own, with chunk, agg and finalize."""

import dask.dataframe as dd

MEAN = dd.Aggregation(
    "own_mean",
    chunk=lambda groups: (groups.sum(), groups.count()),
    agg=lambda totals, counts: (totals.sum(), counts.sum()),
    finalize=lambda total, count: total / count,
)


def mean_delay(flights):
    return flights.groupby("origin")["dep_delay"].agg(MEAN)
