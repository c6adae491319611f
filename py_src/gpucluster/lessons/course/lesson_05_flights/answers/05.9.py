"""Answers to exercise 05.9."""

# %% right b_groupby_size: A lazy group-by, its small result is sorted and searched.
def busiest(minutes):
    counts = minutes.groupby("clock").size().compute().sort_index()
    return int(counts.max()), int(counts.idxmax())


peak = (191, 133_674)

# %% right b_value_counts: Value_counts, and the smallest clock among all that have the largest number.
def busiest(minutes):
    counts = minutes["clock"].value_counts().compute()
    most = counts.max()
    return int(most), int(min(counts.index[counts == most]))


peak = (191, 133674)

# %% wrong any_minute: One of the busiest minutes, not the first.
# fails: clock is the first minute with so many flights
def busiest(minutes):
    counts = minutes.groupby("clock").size().compute().sort_index(ascending=False)
    return counts.max(), counts.idxmax()


peak = (191, 133674)

# %% wrong b_by_minute: Groups by `minute`, the minute of a flight, not by the clock.
# fails: number is the most flights that are in the air in one minute
from gpucluster import datasets


def busiest(minutes):
    counts = minutes.groupby("minute").size().compute().sort_index()
    return int(counts.max()), int(counts.idxmax())


peak = busiest(datasets.flight_minutes())

# %% wrong b_departures: Counts flights that leave in a minute (minute 0), not those "in the air at once".
# fails: peak is what busiest found in the real year (±0)
# edit of wrong b_by_minute
# -     counts = minutes.groupby("minute").size().compute().sort_index()
# +     counts = minutes[minutes["minute"] == 0].groupby("clock").size().compute().sort_index()

# %% wrong b_each_partition: The largest number within one partition; "one minute has rows in several partitions".
# fails: number is the most flights that are in the air in one minute
def busiest(minutes):
    best = (0, 0)
    for part in minutes.partitions:
        counts = part["clock"].compute().value_counts().sort_index()
        if len(counts) and counts.max() > best[0]:
            best = (int(counts.max()), int(counts.idxmax()))
    return best


peak = (191, 133_674)

# %% wrong lazy: The numbers are never computed.
# fails: Both are numbers, computed
# edit of wrong any_minute
# -     counts = minutes.groupby("clock").size().compute().sort_index(ascending=False)
# -     return counts.max(), counts.idxmax()
# +     counts = minutes.groupby("clock").size()
# +     return counts.max(), counts.idxmax
