# %% right b_keys, edit of the solution: One number for each date, and a mask between two bounds.
# -     """Return the parts of a table with the columns month and day, in the order of their dates."""
# -     date = table["month"] * 100 + table["day"]
# -     edges = [0, *(month * 100 + day for month, day in starts), 9999]
# -     return [table[(date >= begin) & (date < end)] for begin, end in zip(edges, edges[1:])]
# +     key = table["month"].astype("int64") * 100 + table["day"].astype("int64")
# +     bounds = [0, *(month * 100 + day for month, day in starts), 9999]
# +     return [table[(key >= low) & (key < high)] for low, high in zip(bounds, bounds[1:])]

# %% right b_recursion: Cuts off the part before the first date, and goes on with the rest.
known = {
    **dict.fromkeys(["carrier", "dest", "distance", "hour", "sched_arr_time"], "timetable"),
    **dict.fromkeys(["dep_time", "dep_delay"], "departure"),
    **dict.fromkeys(["arr_time", "arr_delay", "air_time"], "arrival"),
}


def split(table, starts):
    if not starts:
        return [table]
    (month, day), *others = starts
    before = (table["month"] < month) | ((table["month"] == month) & (table["day"] < day))
    return [table[before], *split(table[~before], others)]

# %% right edges, edit of the solution
# ~ edges[1:] => edges[1:], strict=False

# %% wrong air_time_at_departure, edit of right edges
# fails: Each column has the time at which it becomes known
# ~ air_time": "arrival => air_time": "departure
# ~ begin) & (date < end)] for begin, end => a) & (date < b)] for a, b

# %% wrong b_start_before: The day on which a part begins is still in the part before.
# fails: A part starts on its date, and ends before the next one
# ~ table[(key >= low) & (key < high)] for => table[(key > low) & (key <= high)] for

# %% wrong b_eager: Computes a lazy table first, but a lazy table gives lazy parts.
# fails: Parts of a lazy table are lazy, and nothing is computed
# - def split(table, starts):
# + def split(table, starts):
# +     if hasattr(table, "compute"):
# +         table = table.compute()

# %% wrong b_last_missing: The part from the last date on is missing; there is one table more than there are dates.
# fails: It returns one part more than there are dates
# ~ starts), 9999 => starts)

# %% wrong december_31_lost, edit of right edges
# fails: A part starts on its date, and ends before the next one
# ~ 9999 => 1231
# ~ begin) & (date < end)] for begin, end => a) & (date < b)] for a, b

# %% wrong extra_column, edit of right edges
# fails: Each part is a table with the same columns
# ~ date = table["month"] * 100 + table["day"] => table = table.assign(date=table["month"] * 100 + table["day"])
# ~ [(date >= begin) & (date < end)] for begin, end => [(table["date"] >= a) & (table["date"] < b)] for a, b
