"""Wrong: 30 days for each month, so the 31st is the first of the next."""

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
    date = table["month"] * 30 + table["day"]
    borders = [-1, *(30 * month + day for month, day in starts), 10_000]
    return [table[(date >= low) & (date < high)] for low, high in zip(borders, borders[1:])]
