"""Wrong: the first day of a part still belongs to the part before."""

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
    date = table["month"] * 100 + table["day"]
    borders = [-1, *(100 * month + day for month, day in starts), 10_000]
    return [table[(date > low) & (date <= high)] for low, high in zip(borders, borders[1:])]
