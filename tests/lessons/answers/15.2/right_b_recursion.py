"""Right: cuts off the part before the first date, and goes on with the rest."""

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
