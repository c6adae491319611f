"""Wrong: looks at the month alone, although a part may begin in the middle of a month."""

known = {
    "carrier": "timetable",
    "dest": "timetable",
    "distance": "timetable",
    "hour": "timetable",
    "sched_arr_time": "timetable",
    "dep_time": "departure",
    "dep_delay": "departure",
    "arr_time": "arrival",
    "arr_delay": "arrival",
    "air_time": "arrival",
}


def split(table, starts):
    bounds = [0, *(month for month, day in starts), 13]
    return [table[(table["month"] >= low) & (table["month"] < high)] for low, high in zip(bounds, bounds[1:])]
