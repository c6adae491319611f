"""Wrong: the planned arrival is known at arrival."""

known = {
    "carrier": "timetable",
    "dest": "timetable",
    "distance": "timetable",
    "hour": "timetable",
    "sched_arr_time": "arrival",
    "dep_time": "departure",
    "dep_delay": "departure",
    "arr_time": "arrival",
    "arr_delay": "arrival",
    "air_time": "arrival",
}


def split(table, starts):
    date = table["month"] * 100 + table["day"]
    borders = [-1, *(100 * month + day for month, day in starts), 10_000]
    return [table[(date >= low) & (date < high)] for low, high in zip(borders, borders[1:])]
