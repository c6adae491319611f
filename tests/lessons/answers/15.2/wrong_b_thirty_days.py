"""Wrong: counts 30 days for each month, so the 31st is the same as the first day of the next month."""

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
    number = table["month"].astype("int64") * 30 + table["day"]
    bounds = [0, *(month * 30 + day for month, day in starts), 9999]
    return [table[(number >= low) & (number < high)] for low, high in zip(bounds, bounds[1:])]
