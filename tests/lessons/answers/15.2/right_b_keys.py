"""Right: one number for each date, and a mask between two bounds."""

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
    key = table["month"].astype("int64") * 100 + table["day"].astype("int64")
    bounds = [0, *(month * 100 + day for month, day in starts), 9999]
    return [table[(key >= low) & (key < high)] for low, high in zip(bounds, bounds[1:])]
