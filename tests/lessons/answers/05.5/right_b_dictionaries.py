"""Right: dictionaries of the small table, each partition looks its tail numbers up."""

import pandas as pd


def join_planes(flights, planes):
    fleet = planes.compute()
    built = dict(zip(fleet["tailnum"], fleet["year"]))
    seats = dict(zip(fleet["tailnum"], fleet["seats"]))

    def add(part):
        tails = part["tailnum"].astype(object)
        return part.assign(
            built=pd.Series([built.get(tail, float("nan")) for tail in tails], index=part.index, dtype="float64"),
            seats=pd.Series([seats.get(tail, float("nan")) for tail in tails], index=part.index, dtype="float64"),
            known_plane=pd.Series([tail in built for tail in tails], index=part.index, dtype="bool"),
        )

    return flights.map_partitions(add)


def unknown_by_carrier(joined):
    table = joined[["carrier", "known_plane"]].compute()
    counts = dict.fromkeys(table["carrier"].unique(), 0)
    for carrier, known in zip(table["carrier"], table["known_plane"]):
        counts[carrier] += not known
    return pd.Series(counts, name="unknown", dtype="int64").sort_index()
