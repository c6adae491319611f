# %% right b_groupby_mean: The group-by of pandas, written with getitem and agg.
def mean_delay(flights):
    return flights[["origin", "dep_delay"]].groupby("origin").agg({"dep_delay": "mean"})["dep_delay"]

# %% right sums_and_counts: Sums and counts, divided at the end.
def mean_delay(flights):
    groups = flights.groupby("origin")["dep_delay"]
    return groups.sum() / groups.count()

# %% wrong b_all_flights: Divides by the number of all flights, including those that never left.
# fails: Each departed flight counts once, whatever its partition
def mean_delay(flights):
    groups = flights.groupby("origin")
    return groups["dep_delay"].sum() / groups.size()

# %% wrong b_arrival: Takes only flights that have landed; a flight that left and was diverted counts as well.
# fails: It runs without an error: KeyError
def mean_delay(flights):
    return flights.dropna(subset=["arr_delay"]).groupby("origin")["dep_delay"].mean()

# %% wrong b_computed: Computes; "it returns a lazy column".
# fails: It returns a lazy Dask table or column
def mean_delay(flights):
    return flights.groupby("origin")["dep_delay"].mean().compute()

# %% wrong one_partition: All rows into one partition first.
# fails: No rows move: partitions are unchanged, no shuffle
def mean_delay(flights):
    return flights.repartition(npartitions=1).groupby("origin")["dep_delay"].mean()
