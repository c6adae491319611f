"""Answers to exercise 15.2."""

# %% right b_keys: One number for each date, and a mask between two bounds.
# edit of the solution
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

# %% right edges
# edit of the solution
# -     """Return the parts of a table with the columns month and day, in the order of their dates."""
#
# -     return [table[(date >= begin) & (date < end)] for begin, end in zip(edges, edges[1:])]
# +     return [table[(date >= begin) & (date < end)] for begin, end in zip(edges, edges[1:], strict=False)]

# %% wrong air_time_at_departure
# fails: Each column has the moment from which it is known
# edit of right edges
# ~ "air_time": "arrival", => "air_time": "departure",
# -     return [table[(date >= begin) & (date < end)] for begin, end in zip(edges, edges[1:], strict=False)]
# +     return [table[(date >= a) & (date < b)] for a, b in zip(edges, edges[1:], strict=False)]

# %% wrong b_columns_added: Adds a column to the given table, which must not change.
# fails: Inputs are not modified
# edit of right b_keys
# ~ key = table => table["date"] = table
# -     return [table[(key >= low) & (key < high)] for low, high in zip(bounds, bounds[1:])]
# +     return [table[(table["date"] >= low) & (table["date"] < high)] for low, high in zip(bounds, bounds[1:])]

# %% wrong b_start_before: The day on which a part begins is still in the part before.
# fails: A part begins with its date, and ends before the next one
# edit of right b_keys
# ~ table[(key >= low) & (key < high)] for => table[(key > low) & (key <= high)] for

# %% wrong b_eager: Computes a lazy table first, but a lazy table gives lazy parts.
# fails: Parts of a lazy table are lazy, and nothing is computed
# edit of right b_keys
# - def split(table, starts):
# + def split(table, starts):
# +     if hasattr(table, "compute"):
# +         table = table.compute()

# %% wrong b_last_missing: The part from the last date on is missing; there is one table more than there are dates.
# fails: It returns one part more than there are dates
# edit of right b_keys
# -     bounds = [0, *(month * 100 + day for month, day in starts), 9999]
# +     bounds = [0, *(month * 100 + day for month, day in starts)]

# %% wrong changes_the_table
# fails: Inputs are not modified
# edit of right edges
# ~ date = table => table["date"] = table
# -     return [table[(date >= begin) & (date < end)] for begin, end in zip(edges, edges[1:], strict=False)]
# +     return [
# +         table[(table["date"] >= a) & (table["date"] < b)].drop(columns="date")
# +         for a, b in zip(edges, edges[1:], strict=False)
# +     ]

# %% wrong december_31_lost
# fails: A part begins with its date, and ends before the next one
# edit of wrong air_time_at_departure
# ~ "air_time": "departure", => "air_time": "arrival",
# -     edges = [0, *(month * 100 + day for month, day in starts), 9999]
# +     edges = [0, *(month * 100 + day for month, day in starts), 1231]

# %% wrong extra_column
# fails: Each part is a table with the same columns
# edit of right edges
# ~ date = table["month"] * 100 + table["day"] => table = table.assign(date=table["month"] * 100 + table["day"])
# -     return [table[(date >= begin) & (date < end)] for begin, end in zip(edges, edges[1:], strict=False)]
# +     return [table[(table["date"] >= a) & (table["date"] < b)] for a, b in zip(edges, edges[1:], strict=False)]
