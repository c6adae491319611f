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
# fails: clock is the first minute with that many flights
# ~ sort_index() => sort_index(ascending=False)

# %% wrong b_swapped: (clock, number), asked is "(number, clock)".
# fails: number is the largest number of flights in the air in one minute
# ~ int(counts.max()), int(counts.idxmax()) => int(counts.idxmax()), int(counts.max())
# ~ 191, 133_674 => 133_674, 191

# %% wrong departures: Counts departures instead of flights in the air.
# fails: peak is the result of busiest for the real year (±0)
# ~ counts = minutes.groupby("clock") => counts = minutes[minutes["minute"] == 0].groupby("clock")
# ~ 191, 133_674 => 37, 1234

# %% wrong hard_coded, edit of right b_groupby_size: The answer for the real year, whatever the table.
# fails: number is the largest number of flights in the air in one minute
def busiest(minutes):
    return 191, 133674

# %% wrong lazy: The numbers are never computed.
# fails: Both are numbers, computed
# ~ ().compute().sort_index() => ()
# ~ int(counts.max()), int(counts.idxmax()) => counts.max(), counts.idxmax()
